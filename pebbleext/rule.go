package pebbleext

import (
	"context"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/events"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// tables tells the rule of lookups what filters a store's tables have: when the
// Reader is made, and in the background when tables have changed.
type tables struct {
	db         *pebble.DB
	opts       *pebble.Options // with Pebble's defaults
	rule       *pointread.Rule
	index      string            // the property of index filters, empty if they must not be asked
	resident   *resident.Filters // nil for none in memory
	sampler    pointread.Sampler
	background *pointread.Background
}

func newTables(s store, db *pebble.DB, opts *pebble.Options) *tables {
	opts = opts.Clone()
	opts.EventListener = nil // the program's, in which EnsureDefaults writes
	opts.EnsureDefaults()
	t := &tables{db: db, opts: opts, rule: s.rule, resident: s.resident}
	if s.filter != nil {
		t.index = indexfilter.PropertyName(s.comparer)
	}
	t.sampler.Read = t.readHead
	t.background = pointread.NewBackground(t.sample)
	t.sample()
	return t
}

// sample tells the rule what the tables have.
func (t *tables) sample() {
	listed, err := ondisk.Tables(t.db)
	if err != nil {
		return // the store is closed
	}
	levels := make([][]pointread.Table, len(listed))
	for level, infos := range listed {
		for _, info := range infos {
			levels[level] = append(levels[level], pointread.Table{
				File: uint64(info.BackingSSTNum), Size: info.Size, Remote: info.BackingType != pebble.BackingTypeLocal,
			})
		}
	}
	var memory int64
	if t.resident != nil {
		memory = t.resident.Stats().Budget
	}
	filters := t.sampler.Sample(levels, t.cacheSize(), memory)
	if t.resident != nil {
		filters.Answering, filters.Written = t.resident.Answering, t.resident.Written
	}
	t.rule.SetFilters(filters)
}

func (t *tables) cacheSize() int64 {
	if t.opts.Cache != nil {
		return t.opts.Cache.MaxSize()
	}
	return t.opts.CacheSize
}

// readHead reads what a table's file says of its filters.
func (t *tables) readHead(table pointread.Table) (head pointread.Head, err error) {
	ctx := context.Background()
	err = ondisk.WithTable(ctx, t.db, t.opts, table.File, func(file objstorage.Readable, r *sstable.Reader) error {
		properties, err := r.ReadPropertiesBlock(ctx, nil)
		if err != nil {
			return err
		}
		if _, readable := t.opts.Filters[properties.FilterPolicyName]; readable {
			head.FilterShare = float64(properties.FilterSize) / float64(file.Size())
		} else {
			head.Lacks = true
		}
		_, head.Indexed = r.UserProperties[t.index]
		head.Named = resident.Named(r.UserProperties)
		return nil
	})
	return head, err
}

// listen makes a store that is opened with the options tell of tables that come
// and go, and that it was opened.
func (s *Setup) listen() {
	events.OnTables(s.opts, func() {
		if t := s.tables.Load(); t != nil {
			t.background.Ask()
		}
	})
	events.OnOpen(s.opts, func() { s.opened.Store(true) })
}
