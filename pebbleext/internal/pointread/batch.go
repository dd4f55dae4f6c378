package pointread

import "slices"

// GetMany calls found with the index and the value of each key that is present.
func (r *Reader) GetMany(keys [][]byte, found func(i int, value []byte) error) error {
	return r.each(keys, func(i int, at valuer) error {
		value, err := at.ValueAndErr()
		if err != nil {
			return err
		}
		return found(i, value)
	})
}

// HasMany calls found with the index of each key that is present.
func (r *Reader) HasMany(keys [][]byte, found func(i int)) error {
	return r.each(keys, func(i int, _ valuer) error {
		found(i)
		return nil
	})
}

// valuer is a key that is present.
type valuer interface{ ValueAndErr() ([]byte, error) }

// got is the value that a Get returned.
type got []byte

func (v got) ValueAndErr() ([]byte, error) { return v, nil }

// each calls found for each key that is present. It leaves nothing open even if
// a function of the caller panics.
func (r *Reader) each(keys [][]byte, found func(i int, at valuer) error) error {
	if len(keys) == 0 {
		return nil
	}
	way, order := r.rule.way(), r.order(keys)
	if way == Get {
		if state := r.store.State(); state != nil {
			return r.eachByGet(state, keys, order, found)
		}
		way = Index // asks what there is, and is right for every store
	}
	return r.eachByIter(way, keys, order, found)
}

func (r *Reader) eachByGet(state State, keys [][]byte, order []int, found func(i int, at valuer) error) (err error) {
	defer func() {
		if closeErr := state.Close(); err == nil {
			err = closeErr
		}
	}()
	for _, i := range order {
		if err := r.getOne(state, i, keys[i], found); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) getOne(state State, i int, key []byte, found func(i int, at valuer) error) (err error) {
	value, closer, err := state.Get(key)
	if err == r.options.NotFound {
		r.missed(key)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := closer.Close(); err == nil {
			err = closeErr
		}
	}()
	r.found(key)
	return found(i, got(value))
}

func (r *Reader) eachByIter(way Way, keys [][]byte, order []int, found func(i int, at valuer) error) (err error) {
	iter, err := r.store.NewIter(way, keys[order[0]])
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := iter.Close(); err == nil {
			err = closeErr
		}
	}()
	for _, i := range order {
		present := r.seek(iter, keys[i])
		if err := iter.Error(); err != nil {
			return err
		}
		if !present {
			r.missed(keys[i])
			continue
		}
		r.found(keys[i])
		if err := found(i, iter); err != nil {
			return err
		}
	}
	return nil
}

// order returns the indexes of keys in key order: an iterator that moves
// forward keeps its tables open. In BenchmarkReader with four levels 100 absent
// keys take 0.9 µs each, sorting included, and 1.5 µs unsorted.
func (r *Reader) order(keys [][]byte) []int {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return r.options.Compare(keys[a], keys[b]) })
	return order
}
