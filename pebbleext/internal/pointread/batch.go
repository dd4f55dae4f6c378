package pointread

import "slices"

// GetMany looks up many keys and calls found with the index and the value of
// each that is present. The value is valid during the call only. An error of
// found ends the lookups and is returned.
//
// All keys are looked up in one state of the store, that at the call, by one
// iterator and in key order, whatever order they are given in; found is called
// in that order. Duplicates are looked up one by one.
func (r *Reader[I, O]) GetMany(keys [][]byte, found func(i int, value []byte) error) error {
	return r.each(keys, func(i int, iter I) error {
		value, err := iter.ValueAndErr()
		if err != nil {
			return err
		}
		return found(i, value)
	})
}

// HasMany calls found with the index of each key that is present. It is to Has
// what GetMany is to Get.
func (r *Reader[I, O]) HasMany(keys [][]byte, found func(i int)) error {
	return r.each(keys, func(i int, _ I) error {
		found(i)
		return nil
	})
}

// each calls found for each key that is present, with the iterator on it.
func (r *Reader[I, O]) each(keys [][]byte, found func(i int, iter I) error) error {
	iter, err := r.store.NewIter(&r.version.Options)
	if err != nil {
		return err
	}
	for _, i := range r.order(keys) {
		if r.seek(iter, keys[i]) {
			err = found(i, iter)
		} else {
			err = iter.Error()
		}
		if err != nil {
			_ = iter.Close() // err came first
			return err
		}
	}
	return iter.Close()
}

// order returns the indexes of keys in key order: an iterator that moves
// forward keeps its tables open. In BenchmarkReader with four levels 100 absent
// keys take 0.9 µs each, sorting included, and 1.5 µs unsorted.
func (r *Reader[I, O]) order(keys [][]byte) []int {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return r.version.Compare(keys[a], keys[b]) })
	return order
}
