package pebbleext

import (
	"io"

	"github.com/cockroachdb/pebble/v2"
)

// Reader looks up keys with the filters of all levels, L6 included, so that a
// lookup of an absent key rarely reads a data block.
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
type Reader struct {
	reader    pebble.Reader
	comparer  *pebble.Comparer
	options   pebble.IterOptions
	misses    misses
	listeners *listeners // nil if there are none
}

// NewReader returns a Reader over a DB, a snapshot or an indexed batch. The
// comparer is the store's, Options.Comparer; nil means pebble.DefaultComparer,
// as it does there.
func NewReader(reader pebble.Reader, comparer *pebble.Comparer, options ...ReaderOption) *Reader {
	r := &Reader{
		reader:   reader,
		comparer: comparer.EnsureDefaults(),
		options:  pebble.IterOptions{UseL6Filters: true},
	}
	r.misses.recent.Store(mostMisses)
	for _, set := range options {
		set(r)
	}
	return r
}

// Get returns the value of a key, or pebble.ErrNotFound. As with
// pebble.DB.Get, the caller must not modify the value, which stays valid until
// closer is closed, and must close closer if err is nil.
func (r *Reader) Get(key []byte) (value []byte, closer io.Closer, err error) {
	if r.misses.frequent() {
		value, closer, err = r.get(key)
	} else {
		value, closer, err = r.getAbove(key)
	}
	r.misses.record(err == pebble.ErrNotFound)
	return value, closer, err
}

// get is Get with the filters of L6.
func (r *Reader) get(key []byte) ([]byte, io.Closer, error) {
	iter, err := r.reader.NewIter(&r.options)
	if err != nil {
		return nil, nil, err
	}
	if !r.seek(iter, key) {
		if err := iter.Close(); err != nil {
			return nil, nil, err
		}
		return nil, nil, pebble.ErrNotFound
	}
	value, err := iter.ValueAndErr()
	if err != nil {
		_ = iter.Close() // the same error again
		return nil, nil, err
	}
	return value, iter, nil
}

// getAbove is Get without the filters of L6.
func (r *Reader) getAbove(key []byte) ([]byte, io.Closer, error) {
	watch := r.watch(key)
	value, closer, err := r.reader.Get(key)
	if err == nil || err == pebble.ErrNotFound {
		r.finish(watch, key, err == nil, err == nil)
	} else {
		watch.Discard()
	}
	return value, closer, err
}

// Has reports whether a key is present. It reads no value that is stored apart
// from its key, in a value block or blob file; merge operands are read, because
// a merge can delete its key.
func (r *Reader) Has(key []byte) (bool, error) {
	iter, err := r.reader.NewIter(&r.options)
	if err != nil {
		return false, err
	}
	found := r.seek(iter, key)
	return found, iter.Close()
}

// seek reports whether the store has the key, and leaves the iterator on it.
// With a comparer that splits keys the iterator may stop at another key of the
// same prefix, hence the comparison.
func (r *Reader) seek(iter *pebble.Iterator, key []byte) bool {
	watch := r.watch(key)
	prefixFound := iter.SeekPrefixGE(key)
	found := prefixFound && r.comparer.Equal(iter.Key(), key)
	if !prefixFound && iter.Error() != nil {
		watch.Discard()
	} else {
		r.finish(watch, key, found, prefixFound)
	}
	return found
}
