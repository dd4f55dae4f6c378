package pebbleext

import (
	"io"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// Reader looks up keys in the way that costs least: it asks the filters of all
// levels, L6 included, and index filters, as far as they save more than they
// cost. So a lookup of an absent key rarely reads a data block, nor does one of
// a present key look into the levels that lack it.
//
// It answers as the pebble.Reader beneath it would: the value after merges,
// deletions and range deletions, with range keys ignored; and it fails as that
// one does, with a panic if the store is closed. Each call sees the state of
// the store at that call. A Reader keeps nothing open and needs no Close. Make
// one for a DB and keep it, with [Reader.Over] for snapshots and batches.
//
// A Reader over a DB or a snapshot is safe for concurrent use; one over an
// indexed batch is as safe as the batch, for reads without writes.
//
// A Reader asks no index filters where a store may have tables with a synthetic
// prefix, as [indexfilter.SyntheticPrefixes] says, unless it knows better by
// [WithOptions]; nor over a snapshot or batch unless it came from Over.
//
// # Cost
//
// A key can be looked up by pebble.DB.Get, which asks the table filters of L0 to
// L5 and stops at the first level that has the key; or by an iterator, which
// looks into all levels, and asks the table filters of all, those of L0 to L5 and
// index filters, or index filters alone. Pebble reads a whole filter block to ask
// it for one key. Which way is best depends on how many keys are absent, and on
// what fits in the block cache. So a Reader measures one lookup in 16, in time
// and bytes read, and tries the other ways now and then, at 3 % of the cost and
// less the longer they have been worse. A microsecond counts as much as a kilobyte
// that was not in the block cache. Where not even the table filters of L0 to L5
// fit in the cache, but a part of them does, it asks them for the lower eighths of
// the keys that are looked up, as many as pay, and not for the others.
//
// Answers never depend on the way. Counts of reads and of queries do, and the way
// depends on times: counts repeat from run to run for a single thread and
// pebble.DB.Get, not for a Reader.
//
// Time per lookup as a ratio to pebble.DB.Get's with Pebble's own Bloom
// filters, bloom:10 against 10 bits per key, for 200,000 records of 116 bytes,
// a block cache for a tenth of them, and reads from the page cache (go test
// -bench BenchmarkReader -benchtime 100x ./pebbleext, AMD EPYC, 2 cores that
// other processes used too):
//
//	                                pebble.DB.Get    Get    Has   GetMany of 100
//	absent, one level                      6.0 µs   0.27   0.24             0.10
//	absent, four levels                    8.7 µs   0.41   0.30             0.12
//	present, one level                     5.9 µs   1.14   1.10             0.98
//	present, four levels                   9.3 µs   0.95   1.00             0.79
//	older version one level below          5.8 µs   0.95   3.36             1.88
//
// What remains of an absent lookup is opening a table in each level, 0.7 µs
// each; the slower reads are, the smaller the ratio.
type Reader struct {
	core  *pointread.Reader
	store store
	asked func(key []byte) // nil for none
}

// ReaderOption is an option of NewReader.
type ReaderOption struct{ set func(*readerOptions) }

type readerOptions struct {
	asked    func(key []byte)
	like     *Reader
	missed   func(key []byte)
	counter  *filterpolicy.Counter
	resident *resident.Filters
	prefixes indexfilter.Extractor
	opened   *pebble.Options
}

func collectOptions(options []ReaderOption) (all readerOptions) {
	for _, option := range options {
		option.set(&all)
	}
	return all
}

// NewReader returns a Reader over a DB, a snapshot or an indexed batch. The
// comparer is the store's, Options.Comparer; nil means pebble.DefaultComparer,
// as it does there.
func NewReader(reader pebble.Reader, comparer *pebble.Comparer, options ...ReaderOption) *Reader {
	all := collectOptions(options)
	s := store{Reader: reader, comparer: comparer.EnsureDefaults(), resident: all.resident, prefixes: all.prefixes}
	if db, ok := reader.(*pebble.DB); ok && s.bounded() {
		s.filter, s.guard = newIndexFilter(db, s.comparer, all.opened)
	}
	if s.filter != nil {
		s.filter.CountIn(all.counter)
	}
	core := pointread.Options{
		NotFound: pebble.ErrNotFound,
		Compare:  s.comparer.Compare,
		Ways:     pointread.WaysOf(s.bounded()),
		Resident: s.resident != nil && s.bounded(),
		Missed:   all.missed,
	}
	if all.like != nil {
		return &Reader{all.like.core.Settled(s, core), s, all.asked}
	}
	return &Reader{pointread.New(s, core), s, all.asked}
}

// Over returns a Reader over a snapshot or an indexed batch of the same store,
// which asks index filters and knows what lookups cost, as r does. It costs next
// to nothing.
func (r *Reader) Over(reader pebble.Reader) *Reader {
	s := r.store
	s.Reader = reader
	return &Reader{r.core.Over(s), s, r.asked}
}

// WithKeys makes a Reader call asked with each key before it looks it up,
// concurrently where lookups are. The key is the caller's: asked must not keep
// it. [keytrace.Recorder.Add], for example, records a sample of them.
func WithKeys(asked func(key []byte)) ReaderOption {
	return ReaderOption{func(o *readerOptions) { o.asked = asked }}
}

// WithAbsentKeys makes a Reader call missed with each key that it did not find,
// concurrently where lookups are. The key is the caller's: missed must not keep
// it. What to do with them is, for example, to count them:
//
//	hot, err := hotkeys.New(0.001)
//	…
//	reader := pebbleext.NewReader(db, comparer, pebbleext.WithAbsentKeys(hot.Add))
//
// That takes 0.2 µs a key (go test -bench Listeners ./pebbleext).
func WithAbsentKeys(missed func(key []byte)) ReaderOption {
	return ReaderOption{func(o *readerOptions) { o.missed = missed }}
}

// WithWayOf makes a Reader look keys up in the way that another one takes at
// present, and try no others, so that what it reads repeats. The other's store
// must have the same options and tables like these.
func WithWayOf(other *Reader) ReaderOption {
	return ReaderOption{func(o *readerOptions) { o.like = other }}
}

// Way returns the way in which Get looks keys up at present, but for trials of
// others: "Get" is by pebble.DB.Get, other ways are by iterators that ask the
// filters of all "tables", those of "upper+index" (L0 to L5, and index filters),
// "index" filters alone, or of "3/8 of upper+index": these for three eighths of
// the keys, and index filters alone for the others.
func (r *Reader) Way() string { return r.core.Way().String() }

// WithCounter makes a Reader count its queries of index filters in a Counter,
// such as [CountQueries] returned, beside those of table filters.
func WithCounter(counter *filterpolicy.Counter) ReaderOption {
	return ReaderOption{func(o *readerOptions) { o.counter = counter }}
}

// WithResident makes a Reader ask filters in memory when it opens a table,
// before all others. The filters must be those of the reader's store.
func WithResident(filters *resident.Filters) ReaderOption {
	return ReaderOption{func(o *readerOptions) { o.resident = filters }}
}

// WithOptions tells a Reader which options its DB was opened with, after Apply.
// With object storage it then asks index filters until the store shows external
// files. [Open] does it by itself.
func WithOptions(opts *pebble.Options) ReaderOption {
	return ReaderOption{func(o *readerOptions) { o.opened = opts }}
}

// Get returns the value of a key, or pebble.ErrNotFound. As with
// pebble.DB.Get, the caller must not modify the value, which stays valid until
// closer is closed, and must close closer if err is nil.
func (r *Reader) Get(key []byte) (value []byte, closer io.Closer, err error) {
	r.ask(key)
	return r.core.Get(key)
}

// Has reports whether a key is present. It reads no value that is stored apart
// from its key, in a value block or blob file; merge operands are read, because
// a merge can delete its key.
func (r *Reader) Has(key []byte) (bool, error) {
	r.ask(key)
	return r.core.Has(key)
}

// GetMany looks up many keys and calls found with the index and the value of
// each that is present. The value is valid during the call only. An error of
// found ends the lookups and is returned.
//
// All keys are looked up in one state of the store, that at the call, by one
// iterator and in key order, whatever order they are given in; found is called
// in that order. Duplicates are looked up one by one.
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
