package pebbleext

import (
	"io"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// Reader looks up keys in the way that costs least, by a rule: it asks the
// filters of all levels, L6 included, index filters, and filters in memory, where
// they save more than they cost. So a lookup of an absent key rarely reads a data
// block, nor does one of a present key look into the levels that lack it.
//
// It answers as the pebble.Reader beneath it would: the value after merges,
// deletions and range deletions, with range keys ignored; and it fails as that
// one does, with a panic if the store is closed. Each call sees the state of
// the store at that call. There is one Reader for a store, of [Open] or
// [Setup.NewReader], with [Reader.Over] for snapshots and batches.
//
// A Reader over a DB or a snapshot is safe for concurrent use; one over an
// indexed batch is as safe as the batch, for reads without writes.
//
// # Rule
//
// A key is looked up in one of three ways. By "get": pebble.DB.Get asks the table
// filters of L0 to L5 and stops at the first level that has the key. By "tables":
// an iterator asks the table filters of all levels, and looks into all levels. By
// "index": an iterator with bounds around the key asks index filters and filters
// in memory, and no table filters.
//
//   - Few keys absent of late, and the table filters of L0 to L5 fit in half of
//     the block cache, a quarter where filters in memory can answer: get. So it is
//     while the store is written, by its write-ahead log.
//   - Else, filters in memory serve the store: index, once nearly all that pay are
//     there. Before, it is the next line if that applies.
//   - Else, all table filters fit in two thirds of the block cache: tables.
//   - Else, tables have index filters: index.
//   - Else: get, as where the comparer has no usable ImmediateSuccessor.
//
// [Reader.Way] tells which. There is no clock and no chance in it: without
// filters in memory, which come in the background, the same lookups in the same
// order read the same blocks. What fits is found out from a sample of the tables
// when they change, in the background; which share of the keys is absent, from the
// last 4,096 lookups. The Get of a Reader costs as much as pebble.DB.Get where that
// is the way.
//
// # Cost
//
// Time per lookup as a ratio to pebble.DB.Get's with Pebble's own Bloom
// filters, bloom:10 against 10 bits per key, for 200,000 records of 116 bytes,
// a block cache for a tenth of them, and reads from the page cache (go test
// -bench BenchmarkReader -benchtime 100x ./pebbleext, AMD EPYC, 2 cores that
// other processes used too):
//
//	                                pebble.DB.Get    Get    Has   GetMany of 100
//	absent, one level                      4.5 µs   0.30   0.27             0.12
//	absent, four levels                    7.2 µs   0.47   0.49             0.14
//	present, one level                     4.8 µs   0.99   1.01             0.98
//	present, four levels                   8.2 µs   0.96   0.92             0.88
//	older version one level below          4.7 µs   0.96   1.00             1.00
//
// What remains of an absent lookup is opening a table in each level, 0.7 µs
// each; the slower reads are, the smaller the ratio.
//
// Where the share of absent keys changes every 20,000 lookups, reads of each part
// from its thousandth lookup on, and as a ratio to the better of pebble.DB.Get and
// an iterator with all table filters (go test -bench Shares -benchtime 1x
// ./pebbleext):
//
//	share of absent keys      0      1      0    1/2
//	reads a lookup         0.94  0.029   0.95   0.49
//	ratio                  1.00   1.00   1.01   1.00
type Reader struct {
	core  *pointread.Reader
	store store
	asked func(key []byte) // nil for none
	setup *Setup           // nil for a Reader of Over
}

// NewReader returns the Reader of a store that was opened with the options after
// Apply. Filters in memory work from then on. Close the Reader before the store.
//
// The error is ErrRefused if the options were changed after Apply in a way that
// matters, if another store was opened with them, or if filters in memory cannot
// serve the store.
func (s *Setup) NewReader(db *pebble.DB) (*Reader, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.filters != nil {
		if err := s.filters.Start(db, s.opts); err != nil {
			return nil, err
		}
	}
	return s.newReader(db, s.filters)
}

func (s *Setup) newReader(db *pebble.DB, filters *resident.Filters) (*Reader, error) {
	comparer := s.opts.Comparer.EnsureDefaults()
	st := store{Reader: db, comparer: comparer, resident: filters, prefixes: s.options.Plan.Prefix, rule: pointread.NewRule(),
		uncached: filters != nil && s.options.FilterMemory == 0 && s.opts.Cache == nil}
	var err error
	if comparer.ImmediateSuccessor == nil {
		st.rule.OnlyGet("the comparer has no ImmediateSuccessor")
	} else if st.filter, st.guard, err = newIndexFilter(db, s.opts); err != nil {
		return nil, err
	}
	if st.filter != nil {
		st.filter.CountIn(s.options.Counter)
	}
	if t := newTables(st, db, s.opts); !s.tables.CompareAndSwap(nil, t) {
		return nil, errSecond
	}
	core := pointread.New(st, st.rule, pointread.Options{
		NotFound: pebble.ErrNotFound,
		Compare:  comparer.Compare,
		Missed:   s.options.Absent,
	})
	return &Reader{core, st, s.options.Asked, s}, nil
}

var (
	errSecond   = ondisk.As(ErrRefused, "a setup is for one Reader; call pebbleext.Apply for each store")
	errUnopened = ondisk.As(ErrRefused, "the store was not opened with these options after pebbleext.Apply, "+
		"or its EventListener was changed; call Apply first, then pebble.Open with its options")
)

// check fails if there is a Reader already, or if the store that was opened is
// not what Apply has prepared.
func (s *Setup) check() error {
	if s.err != nil {
		return s.err
	}
	if s.tables.Load() != nil {
		return errSecond
	}
	if !s.opts.ReadOnly && !s.opened.Load() {
		return errUnopened
	}
	return s.applied.check(s.opts)
}

// close ends what works in the background, and gives memory back.
func (s *Setup) close() error {
	if t := s.tables.Load(); t != nil {
		t.background.Close()
	}
	if s.filters == nil {
		return nil
	}
	return s.filters.Close()
}

// Close ends what the Reader does in the background, saves filters in memory if
// the options say so, and gives their memory back. Call it before the store is
// closed. Lookups after it go on without filters in memory. A Reader of Over has
// nothing to close.
func (r *Reader) Close() error {
	if r.setup == nil {
		return nil
	}
	return r.setup.close()
}

// Over returns a Reader over a snapshot or an indexed batch of the same store. It
// costs next to nothing.
func (r *Reader) Over(reader pebble.Reader) *Reader {
	s := r.store
	s.Reader = reader
	return &Reader{r.core.Over(s), s, r.asked, nil}
}

// Way tells in which way Get looks up the next key, and why, for logs:
//
//	get: 0.4% of keys absent of late, table filters of L0 to L5 (1.2 MiB) fit in half of the block cache
func (r *Reader) Way() string {
	if r.store.uncached {
		return r.core.Way() + "; no filters in memory: Options.Cache is not set"
	}
	return r.core.Way()
}

// Filters returns the filters in memory, nil if there are none. They work from
// NewReader on.
func (s *Setup) Filters() *resident.Filters { return s.filters }

// Filters returns the filters in memory, nil if there are none.
func (r *Reader) Filters() *resident.Filters { return r.store.resident }

// Get returns the value of a key, or pebble.ErrNotFound. As with
// pebble.DB.Get, the caller must not modify the value, which stays valid until
// closer is closed, and must close closer if err is nil.
func (r *Reader) Get(key []byte) (value []byte, closer io.Closer, err error) {
	r.ask(key)
	return r.core.Get(key)
}

// Has reports whether a key is present. An iterator reads no value that is stored
// apart from its key, in a value block or blob file, but for merge operands,
// because a merge can delete its key; pebble.DB.Get does.
func (r *Reader) Has(key []byte) (bool, error) {
	r.ask(key)
	return r.core.Has(key)
}

// GetMany looks up many keys and calls found with the index and the value of
// each that is present. The value is valid during the call only. An error of
// found ends the lookups and is returned.
//
// All keys are looked up in one state of the store, that at the call, and in key
// order, whatever order they are given in; found is called in that order.
// Duplicates are looked up one by one.
func (r *Reader) GetMany(keys [][]byte, found func(i int, value []byte) error) error {
	r.ask(keys...)
	return r.core.GetMany(keys, found)
}

// HasMany calls found with the index of each key that is present. It is to Has
// what GetMany is to Get.
func (r *Reader) HasMany(keys [][]byte, found func(i int)) error {
	r.ask(keys...)
	return r.core.HasMany(keys, found)
}

// ask tells of keys that are to be looked up.
func (r *Reader) ask(keys ...[]byte) {
	if r.asked == nil {
		return
	}
	for _, key := range keys {
		r.asked(key)
	}
}
