package pebbleext

import (
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/events"
	"github.com/gravelkv/gravel/pebbleext/internal/external"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// readable are the policies whose tables stay readable whatever a plan writes.
// Their sizes do not matter for reading.
var readable = []pebble.FilterPolicy{filterpolicy.Bloom(10), bloom.FilterPolicy(10)}

// Options say what a store gets beside what pebble.Options say. The zero value
// is right for most stores.
type Options struct {
	// Plan is what filters the store writes. The zero Plan stands for
	// [DefaultPlan]; for none write Uniform(pebble.NoFilterPolicy).
	Plan Plan
	// FilterMemory is the bytes of memory in which filters are kept outside of
	// the block cache, see package resident. If it is 0, filters take their
	// memory off the cache, as much as saves more reads than blocks would in its
	// place: if Options.Cache names one, or the store is opened by Open; CacheSize
	// alone gives none. If it is negative, there are none.
	FilterMemory int64
	// FilterFile, if not empty, is the path on the store's file system where the
	// filters in memory are saved at Close, and found the next time.
	FilterFile string
	// Counter, if not nil, counts what filters answer, by level and family.
	Counter *filterpolicy.Counter
	// Asked, if not nil, is called with each key before it is looked up, and
	// Absent with each key that was not found, concurrently where lookups are.
	// The key is the caller's: neither must keep it.
	Asked, Absent func(key []byte)
}

// Setup is what [Apply] made of the options of one store.
type Setup struct {
	opts    *pebble.Options
	options Options
	filters *resident.Filters // nil for none in memory
	err     error             // why there are none
	applied seal
	opened  atomic.Bool // a store, as far as events tell
	tables  atomic.Pointer[tables]
}

// Apply prepares opts for a store that is opened with them next:
//
//	setup := pebbleext.Apply(opts, pebbleext.Options{})
//	db, err := pebble.Open(dir, opts)
//	…
//	reader, err := setup.NewReader(db)
//	…
//	err = errors.Join(reader.Close(), db.Close())
//
// Each level writes the plan's filters from now on, and tables written by Gravel
// or by Pebble's own Bloom policy stay readable, so that a store can switch
// between them at any time. Compactions bring the new policies to existing
// tables. Tables name their filters, so that these can be in memory: set
// opts.Cache for that, since CacheSize alone gives them none. Set what else a
// store needs in opts before, too: what Apply has set must stay.
//
// What the option verify=true finds wrong is told to the BackgroundError of
// opts.EventListener, or else to opts.Logger.
//
// Entries of opts.Filters are kept. Without one for the policy of a table
// Pebble ignores its filter and says nothing, so list policies that neither
// the plan nor this function knows. BlockPropertyCollectors are kept, too, but
// for those of filters, which are the plan's.
//
// Index, prefix and range filters lie in index blocks, and a lookup reads one of
// each table. So for a plan with them Apply sets IndexBlockSize to 4 KiB where it
// is not set; where it is above 8 KiB, it is kept, and opts.Logger told.
//
// With object storage Apply wraps Options.Experimental.RemoteStorage: filters
// that know the keys of a table's file must not be asked once the store shows
// external files (pebble.DB.IngestExternalFiles), whose keys may have a synthetic
// prefix.
//
// sstable.RewriteKeySuffixesAndReturnFormat works between the plans of tables
// that were written under Apply. It fails for a table that was written before, with
// a filter of another name, or without an index, prefix or range filter of the plan.
//
// What is wrong with the options is what NewReader fails with.
func Apply(opts *pebble.Options, options Options) *Setup {
	if options.Plan == (Plan{}) {
		options.Plan = DefaultPlan()
	}
	s := &Setup{opts: opts, options: options}
	applyPolicies(opts, options.Plan)
	applyCollectors(opts, options.Plan)
	if options.Counter != nil {
		options.Counter.CountIn(opts)
	}
	if options.FilterMemory >= 0 {
		s.filters, s.err = resident.New(resident.Settings{Budget: options.FilterMemory, File: options.FilterFile})
	}
	if s.filters != nil {
		s.filters.Apply(opts)
	} else {
		resident.NameFilters(opts)
	}
	external.Watch(opts)
	s.listen()
	s.applied = sealOf(opts)
	return s
}

func applyPolicies(opts *pebble.Options, plan Plan) {
	if opts.Filters == nil {
		opts.Filters = make(map[string]pebble.FilterPolicy)
	}
	for level, policy := range plan.Levels {
		opts.Levels[level].FilterPolicy = forLevel(policy, level, opts)
	}
	for _, policy := range readable {
		if _, ok := opts.Filters[policy.Name()]; !ok {
			opts.Filters[policy.Name()] = policy
		}
	}
}

// applyCollectors makes tables have the plan's index, prefix and range filters,
// and no others.
func applyCollectors(opts *pebble.Options, plan Plan) {
	collectors := slices.DeleteFunc(slices.Clone(opts.BlockPropertyCollectors),
		func(construct func() pebble.BlockPropertyCollector) bool {
			return indexfilter.IsPropertyName(construct().Name(), opts.Comparer)
		})
	kept := len(collectors)
	if plan.Index != 0 {
		collectors = append(collectors, indexfilter.Collector(opts.Comparer, plan.Index))
	}
	if plan.Prefix != nil {
		collectors = append(collectors, indexfilter.PrefixCollector(opts.Comparer, plan.Prefix))
	}
	if plan.Range != 0 {
		collectors = append(collectors, indexfilter.RangeCollector(opts.Comparer, plan.Range))
	}
	if len(collectors) > kept {
		setIndexBlockSizes(opts)
	}
	opts.BlockPropertyCollectors = collectors
}

// With 4M records of 64 bytes in four levels and a block cache of 2 MiB, a
// lookup of an absent key reads 4.3 KiB with index filters and index blocks of
// 4 KiB, 8.2 with 8 KiB, 16.3 with 16 KiB and 217 with 256 KiB. Without index
// filters it reads 16 KiB, and 21 with 256 KiB.
const (
	indexBlockSize    = 4 << 10
	maxIndexBlockSize = 8 << 10
)

func setIndexBlockSizes(opts *pebble.Options) {
	// A level without a size has that of the level above.
	if opts.Levels[0].IndexBlockSize <= 0 {
		opts.Levels[0].IndexBlockSize = indexBlockSize
	}
	for level := range opts.Levels {
		if size := opts.Levels[level].IndexBlockSize; size > maxIndexBlockSize && opts.Logger != nil {
			opts.Logger.Infof("filter: index blocks of L%d have %d bytes, which index filters make lookups read; "+
				"set IndexBlockSize to %d to %d", level, size, indexBlockSize, maxIndexBlockSize)
		}
	}
}

func forLevel(policy pebble.FilterPolicy, level int, opts *pebble.Options) pebble.FilterPolicy {
	switch policy := policy.(type) {
	case nil:
		return pebble.NoFilterPolicy // nil would inherit from the level above
	case *filterpolicy.Policy:
		return policy.ForLevel(level).OnFailure(func(err error) { events.Report(opts, err) })
	default:
		return policy
	}
}
