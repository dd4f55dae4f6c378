package pointread

import "slices"

// GetMany calls found with the index and the value of each key that is present.
func (r *Reader) GetMany(keys [][]byte, found func(i int, value []byte) error) error {
	return r.each(keys, func(i int, iter Iterator) error {
		value, err := iter.ValueAndErr()
		if err != nil {
			return err
		}
		return found(i, value)
	})
}

// HasMany calls found with the index of each key that is present.
func (r *Reader) HasMany(keys [][]byte, found func(i int)) error {
	return r.each(keys, func(i int, _ Iterator) error {
		found(i)
		return nil
	})
}

// each calls found for each key that is present, with the iterator on it. It
// closes the iterator even if a function of the caller panics.
func (r *Reader) each(keys [][]byte, found func(i int, iter Iterator) error) (err error) {
	if len(keys) == 0 {
		return nil
	}
	order := r.order(keys)
	l := r.choices.many.lookUp(keys[order[0]])
	iter, err := r.store.NewIter(l.way, keys[order[0]])
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := iter.Close(); err == nil {
			err = closeErr
		}
	}()
	for n, i := range order {
		if n > 0 {
			way := l.way
			l = r.choices.many.lookUp(keys[i])
			if l.way != way {
				if iter, err = replace(iter, l.way, keys[i]); err != nil {
					return err
				}
			}
			l.discount(iter)
		}
		present := r.seek(iter, keys[i])
		l.count(iter)
		if err = iter.Error(); err != nil {
			return err
		}
		l.end(!present)
		if present {
			err = found(i, iter)
		} else {
			r.missed(keys[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// replace returns an iterator in another way. If there is none, the old one
// stays open.
func replace(iter Iterator, way Way, key []byte) (Iterator, error) {
	next, err := iter.Clone(way, key)
	if err != nil {
		return iter, err
	}
	return next, iter.Close()
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
