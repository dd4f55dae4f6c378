package pebbleext

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
)

// Reader looks up keys with the filters of all levels, L6 included, so that a
// lookup of an absent key rarely reads a data block: with Get, Has, and GetMany
// and HasMany for many keys at a time, which [pointread.Reader] describes.
//
// It answers as the pebble.Reader beneath it would: the value after merges,
// deletions and range deletions, with range keys ignored; and it fails as that
// one does, with a panic if the store is closed. Each call sees the state of
// the store at that call. A Reader keeps no other state and needs no Close.
//
// A Reader over a DB or a snapshot is safe for concurrent use; one over an
// indexed batch is as safe as the batch, for reads without writes.
//
// # Cost
//
// Only iterators can ask the filters of L6, and an iterator looks into every
// level, where pebble.DB.Get stops at the first one that has the key. Get
// therefore follows how many of its lookups miss, and leaves them to
// pebble.DB.Get while fewer than one in nine does. Has and the batch forms
// always use iterators.
//
// Time per lookup as a ratio to pebble.DB.Get's with Pebble's own Bloom
// filters, bloom:10 against 10 bits per key, for 200,000 records of 116 bytes,
// a block cache for a tenth of them, and reads of 2 µs from the page cache
// (go test -bench Reader -benchtime 300x, Intel Xeon):
//
//	                                pebble.DB.Get    Get    Has   GetMany of 100
//	absent, one level                      4.1 µs   0.28   0.29             0.11
//	absent, four levels                    6.5 µs   0.52   0.52             0.14
//	present, one level                     4.3 µs   1.00   1.11             0.96
//	present, four levels                   7.2 µs   0.90   0.99             0.66
//	older version one level below          4.7 µs   0.97   2.06             1.63
//
// What remains of an absent lookup is opening a table in each level, 0.7 µs
// each; the slower reads are, the smaller the ratio.
type Reader = pointread.Reader[*pebble.Iterator, pebble.IterOptions]

// NewReader returns a Reader over a DB, a snapshot or an indexed batch. The
// comparer is the store's, Options.Comparer; nil means pebble.DefaultComparer,
// as it does there.
func NewReader(reader pebble.Reader, comparer *pebble.Comparer, options ...ReaderOption) *Reader {
	comparer = comparer.EnsureDefaults()
	version := pointread.Version[pebble.IterOptions]{
		Options:  pebble.IterOptions{UseL6Filters: true},
		NotFound: pebble.ErrNotFound,
		Compare:  comparer.Compare,
		Equal:    comparer.Equal,
	}
	for _, set := range options {
		set(&version, comparer)
	}
	return pointread.New(reader, version)
}
