package pointread

import "io"

// way is a way to look up a single key.
type way int

const (
	// byGet is by pebble.DB.Get, which stops at the first level that has the
	// key, and never asks the filters of L6.
	byGet way = iota
	// byIterator is by SeekPrefixGE of an iterator. It asks the filters of all
	// levels, and looks into all levels whose filters do not deny the key.
	byIterator
)

// choose returns the way of the next Get.
func (r *Reader) choose() way {
	if r.misses.frequent() {
		return byIterator
	}
	return byGet
}

func (r *Reader) getByIterator(key []byte) ([]byte, io.Closer, error) {
	iter, err := r.store.NewIter()
	if err != nil {
		return nil, nil, err
	}
	if !r.seek(iter, key) {
		if err := iter.Close(); err != nil {
			return nil, nil, err
		}
		return nil, nil, r.options.NotFound
	}
	value, err := iter.ValueAndErr()
	if err != nil {
		_ = iter.Close() // the same error again
		return nil, nil, err
	}
	return value, iter, nil
}
