package resident

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/events"
	"github.com/gravelkv/gravel/pebbleext/internal/external"
)

// Settings say how much memory filters may take, and where from.
type Settings struct {
	// Budget is the bytes of memory for filters and what finds them, beside the
	// block cache. If it is 0, filters take their memory off the cache, which
	// Options.Cache must name, as much as saves more reads than blocks would in
	// its place, and give it back. If it is negative, there is none.
	Budget int64
	// LoadRate is how many bytes a second may be read from tables in the
	// background, DefaultLoadRate if it is 0.
	LoadRate int64
	// File, if not empty, is the path on the store's file system where Close
	// saves the filters and Start finds those of the last time.
	File string
}

// DefaultLoadRate is 32 MiB a second: an eighth of a simple SSD.
const DefaultLoadRate = 32 << 20

// Filters are the filters in memory of one store. All methods are safe for
// concurrent use.
//
// Each filter is in memory with as many bits as pay: a bit more of one saves as
// many reads for each byte as that of another. A filter that can be cut, of
// family ribbon, gives bits up for others and is read again to get more; others
// are in memory whole or not. What was counted loses half of its weight with
// 32,768 sampled queries, or 256 for each filter. The filters of tables that are
// gone leave.
//
// # Object storage
//
// Tables may lie in object storage (Options.Experimental.RemoteStorage, set
// before Apply), those that another store wrote and shares among them. A table
// that is not opened is a request or more that is not made. With Settings.File
// a process that begins anew has the filters that it had, and reads nothing of
// the tables that it knew. Else one request tells of a table's filter, and two
// or three load it. While requests fail, lookups go on without the filters that
// are not there, and the time between attempts doubles.
//
// # Cost
//
// With everything in the block cache and four levels, an absent key takes 0.60
// of the time of an iterator with UseL6Filters, and a batch of 100 keys 0.80 of
// that without resident filters (go test -bench Lookup -benchtime 60x). With
// 1 GiB of filters, a query at random takes 0.44 of that of the same filters at
// 16 bytes past a line on the Go heap (go test -bench Alignment -benchtime 30x
// -align-bytes 1073741824). Both are medians of interleaved turns.
//
// Lookups write no memory that other cores use, but three counts in a sample of
// at most 20,000 queries a second: they hold a pin, in a cache line pair that a
// core keeps, so that memory is not reused while they read it. A query takes 35
// ns of processor time on one core, and 36 on each of two (go test -bench Query
// -cpu 1,2, medians of five). What a hundred would share is read only: the
// directory, the filters, and an epoch that changes when filters are evicted or
// moved.
type Filters struct {
	settings Settings
	links    links

	// Lookups read these.
	active    atomic.Bool // Start was called, and Close was not
	answering atomic.Bool // see Answering
	written   atomic.Bool // see Written
	period    atomic.Uint32
	directory directory
	pins      *pins
	compare   pebble.Compare
	guard     *external.Guard

	mu struct { // what lookups do not read
		sync.Mutex
		budget int64
		arena  arena
		counts Stats             // without the figures of now
		barred map[identity]bool // filters that must not be asked

		passed time.Duration        // since the background began
		turn   int                  // of turnTime each; what wakes it in between does not count
		asked  uint64               // queries of the last turn
		levels [numLevels + 1]level // that of unknown ones first
		price  float64              // of a byte of memory, as log2
		memory memory               // of the block cache, without a budget of Settings

		like shape // of the filter seen last
		hand int   // the block in the arena that gave bits up last

		bids []bid  // reused
		cut  []byte // reused
	}

	store      *store
	background background
}

// New returns the filters for one store, with none in memory yet.
func New(settings Settings) (*Filters, error) {
	if settings.LoadRate < 0 {
		return nil, fmt.Errorf("a load rate of %d bytes a second; it must not be negative", settings.LoadRate)
	}
	if settings.LoadRate == 0 {
		settings.LoadRate = DefaultLoadRate
	}
	f := &Filters{settings: settings, pins: newPins()}
	f.period.Store(1)
	f.written.Store(true) // before it is known
	f.mu.price, f.mu.like = lowestPrice, usualShape
	f.mu.arena.pins = f.pins
	f.background.turnTime = turnTime
	f.background.wake = make(chan struct{}, 1)
	if err := f.setBudget(max(settings.Budget, 0)); err != nil {
		return nil, err
	}
	return f, nil
}

// Apply makes a store that is opened with opts name its tables' filters, and
// hand them over when it has written them. Call it after pebbleext.Apply, and
// after all else that sets policies: what is set later writes filters that
// this does not know. Set Options.Experimental.RemoteStorage before.
//
// Where the plan has prefix filters, each filter has the prefixes of its table
// beside the keys, for pebbleext.Reader.NewPrefixIter, with as many bits.
func (f *Filters) Apply(opts *pebble.Options) {
	extractor := indexfilter.ExtractorOf(opts)
	for i := range opts.Levels {
		if p := opts.Levels[i].FilterPolicy; p != nil && p != pebble.NoFilterPolicy {
			opts.Levels[i].FilterPolicy = policy{unwrap(p), f, extractor}
		}
	}
	split := opts.Comparer.EnsureDefaults().Split
	others := slices.DeleteFunc(slices.Clone(opts.BlockPropertyCollectors), func(construct func() pebble.BlockPropertyCollector) bool {
		return construct().Name() == PropertyName
	})
	opts.BlockPropertyCollectors = append(others, func() pebble.BlockPropertyCollector {
		return &collector{filters: f, split: split}
	})
	events.OnTables(opts, f.background.tablesChanged)
	external.Watch(opts)
}

// NameFilters makes a store that is opened with opts name its tables' filters
// and no more. Filters of such tables can be in memory as soon as the store is
// opened with filters' Apply and Start. Call it where Apply is called
// otherwise.
func NameFilters(opts *pebble.Options) {
	filters, err := New(Settings{Budget: -1})
	if err != nil {
		panic(err) // it has no memory that it could fail to get
	}
	filters.Apply(opts)
}

// Start begins to answer lookups of db, which was opened with opts, and to keep
// its filters in the background. It reads the file of the last time first. It
// fails with pebbleext.ErrRefused for a store that shows external files
// (pebble.DB.IngestExternalFiles). If it does so later, filters are not asked
// any more, and the store's BackgroundError gets that error.
func (f *Filters) Start(db *pebble.DB, opts *pebble.Options) error {
	s := &store{db: db, opts: opts.Clone()}
	s.opts.EnsureDefaults()
	guard, barred, err := s.refuse()
	if err != nil {
		return err
	}
	ctx, err := f.begin(s, guard, barred)
	if err != nil {
		return err
	}
	f.report(f.restore())
	f.answering.Store(f.Stats().Known > 0) // filters that were saved
	f.active.Store(true)
	f.background.done.Go(func() { f.run(ctx) })
	return nil
}

// begin sets what is known of the store. All work in the background ends with
// its context.
func (f *Filters) begin(s *store, guard *external.Guard, barred map[identity]bool) (ctx context.Context, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.store != nil {
		return nil, errors.New("resident filters can be started once")
	}
	f.store, f.compare, f.guard = s, s.opts.Comparer.Compare, guard
	f.bar(barred)
	if cache := s.opts.Cache; cache != nil && f.settings.Budget == 0 {
		if err := f.shareCache(cache); err != nil {
			return nil, err
		}
	}
	f.background.changed.Store(true)
	ctx, f.background.cancel = context.WithCancel(context.Background())
	return ctx, nil
}

// Close ends all work in the background, saves the filters if Settings say so,
// and gives their memory back. Lookups from then on get no answer. Call it
// before the store is closed: work in the background may make the store's Close
// fail. Closing twice does nothing.
func (f *Filters) Close() error {
	f.mu.Lock()
	stop := f.background.cancel
	f.mu.Unlock()
	if stop != nil {
		stop()
		f.background.done.Wait()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	if f.active.Swap(false) && f.settings.File != "" {
		err = f.save()
	}
	f.forget(slices.Collect(f.directory.all()))
	err = errors.Join(err, f.setBudgetLocked(0))
	f.leaveCache()
	return err
}

// SetBudget changes the bytes of memory of filters that have a budget. It cuts
// filters that do not fit, moves the rest, and returns when that is done: 0.2 s
// for each GiB that stays.
func (f *Filters) SetBudget(bytes int64) error {
	if bytes < 0 {
		return fmt.Errorf("a budget of %d bytes; it must not be negative", bytes)
	}
	if f.settings.Budget == 0 {
		return errors.New("the filters have no budget: they take their memory off the block cache")
	}
	return f.setBudget(bytes)
}

func (f *Filters) setBudget(bytes int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.setBudgetLocked(bytes)
}

func (f *Filters) setBudgetLocked(bytes int64) error {
	if bytes == f.mu.budget && int(bytes) == f.mu.arena.size() {
		return nil
	}
	f.mu.budget = min(f.mu.budget, bytes)
	f.forgetOver()
	f.mu.price = priceFor(f.allBids(), float64(f.room()), f.mu.price)
	f.makeRoom(0)
	if err := f.mu.arena.resize(int(bytes)); err != nil {
		return fmt.Errorf("memory of %d bytes for filters: %w", bytes, err)
	}
	f.mu.budget = bytes
	f.background.changed.Store(true) // there may be room to know more tables
	return nil
}
