package pebbleext

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

// BoundedIter is a pebble.Iterator that skips data blocks without keys within
// its bounds. It shows the keys that an iterator with these bounds shows, and
// has all of its methods.
//
// A bound of no bytes is none, as nil is. (What Pebble makes of one that is not
// nil depends on the memory that it uses again.)
//
// Set its bounds by its own methods, not those of the Iterator in it: that
// would show keys outside of the bounds that it knows, and not all of them.
type BoundedIter struct {
	*pebble.Iterator
	store        store
	prefix       []byte
	lower, upper []byte                       // of the prefix
	filters      []pebble.BlockPropertyFilter // of the prefix and the bounds
	ranges       *indexfilter.RangeFilter     // one of them, nil for none
	options      pebble.IterOptions           // without these filters
}

// NewBoundedIter returns an iterator over the keys within the bounds of
// options. The caller closes it.
//
// It asks range filters: data blocks that may have no key within the bounds are
// not read. They are asked over the same readers as index filters. A filter
// tells where the keys of its block lie, to a fraction of their distance. So it
// helps scans that find little: those of a few keys, or none. It does not help
// where a range begins or ends right behind a key that is not in it.
//
// Once the store shows an external object, whose table may have keys with a
// prefix that a filter does not know, no filter is asked any more; iterators
// that are open go on without.
func (r *Reader) NewBoundedIter(options *pebble.IterOptions) (*BoundedIter, error) {
	return r.NewPrefixIter(nil, options)
}

// NewPrefixIter returns an iterator over the keys that begin with prefix: the
// bytes of it, before a key's suffix (Comparer.Split). An empty prefix is that
// of all keys. The options may be nil; their bounds narrow the iterator, as
// those of [BoundedIter.SetBounds] do. The caller closes the iterator.
//
// If the store's plan has prefix filters, and their extractor takes a prefix of
// these bytes, then data blocks that have no key with it are not read, but for
// one in 256. A prefix that the extractor finds too short, such as "acc" where
// prefixes end at a slash, is scanned without prefix filters. Range filters are
// asked as [Reader.NewBoundedIter] does.
//
// Filters in memory have the prefixes, too. They are asked first, and nothing is
// read of a table without the prefix, but for one in a thousand with 10 bits.
// Table filters that are not in memory are not asked: a whole filter block may
// cost more than it saves.
func (r *Reader) NewPrefixIter(prefix []byte, options *pebble.IterOptions) (*BoundedIter, error) {
	lower, upper, err := prefixBounds(r.store.comparer, prefix)
	if err != nil {
		return nil, err
	}
	i := &BoundedIter{store: r.store, prefix: bytes.Clone(prefix), lower: lower, upper: upper}
	i.makeFilters()
	i.Iterator, err = r.store.Reader.NewIter(i.setOptions(cmp.Or(options, &pebble.IterOptions{})))
	if err != nil {
		return nil, err
	}
	return i, nil
}

// makeFilters makes the filters anew. Those in memory come first: what they
// deny no other one is asked for.
func (i *BoundedIter) makeFilters() {
	s := i.store
	i.filters, i.ranges = nil, nil
	if s.resident != nil && s.prefixes != nil {
		if query := s.resident.PrefixQuery(s.prefixes, i.prefix); query != nil {
			i.filters = append(i.filters, query)
		}
	}
	if s.filter == nil {
		return
	}
	if s.prefixes != nil {
		if filter := indexfilter.NewPrefixFilter(s.prefixes, i.prefix); filter != nil {
			i.filters = append(i.filters, guarded{filter, s.guard})
		}
	}
	i.ranges = indexfilter.NewRangeFilter(s.comparer)
	i.filters = append(i.filters, guarded{i.ranges, s.guard})
}

// SetBounds is that of pebble.Iterator. Bounds of an iterator over a prefix
// narrow it: what lies outside of the prefix is never shown, and nil is its
// end.
func (i *BoundedIter) SetBounds(lower, upper []byte) {
	before := i.options.LowerBound
	i.setBounds(lower, upper)
	lower, upper = i.options.LowerBound, i.options.UpperBound
	// Where bounds move backwards, a table's iterator goes on from the block
	// where it met the old lower one. Blocks behind that one may have been
	// skipped, which have keys of the new range. From other bounds in between
	// it goes on from nowhere. An empty range that is set again must stay no
	// change, for errors.
	compare := i.store.comparer.Compare
	if before != nil && upper != nil && compare(upper, before) <= 0 && !(lower != nil && compare(lower, upper) == 0) {
		i.Iterator.SetBounds(nil, nil)
	}
	i.Iterator.SetBounds(lower, upper)
}

// SetOptions is that of pebble.Iterator, with bounds as in SetBounds.
func (i *BoundedIter) SetOptions(options *pebble.IterOptions) {
	i.Iterator.SetOptions(i.setOptions(options))
}

// Clone is that of pebble.Iterator, with bounds as in SetBounds.
func (i *BoundedIter) Clone(options pebble.CloneOptions) (*BoundedIter, error) {
	return i.CloneWithContext(context.Background(), options)
}

// CloneWithContext is Clone with a context for what the clone reads.
func (i *BoundedIter) CloneWithContext(ctx context.Context, options pebble.CloneOptions) (*BoundedIter, error) {
	clone := *i
	clone.makeFilters() // each is for one iterator
	options.IterOptions = clone.setOptions(cmp.Or(options.IterOptions, &i.options))
	var err error
	if clone.Iterator, err = i.Iterator.CloneWithContext(ctx, options); err != nil {
		return nil, err
	}
	return &clone, nil
}

// setOptions keeps options, and returns them with bounds within the prefix and
// with the filters.
func (i *BoundedIter) setOptions(options *pebble.IterOptions) *pebble.IterOptions {
	i.options = *options
	i.setBounds(options.LowerBound, options.UpperBound)
	all := i.options
	// Pebble appends a filter of its own.
	all.PointKeyFilters = slices.Grow(slices.Concat(options.PointKeyFilters, i.filters), 1)
	return &all
}

// setBounds keeps bounds within those of the prefix, and asks range filters for
// them.
func (i *BoundedIter) setBounds(lower, upper []byte) {
	compare := i.store.comparer.Compare
	if len(upper) == 0 {
		upper = nil
	}
	if len(lower) == 0 || i.lower != nil && compare(lower, i.lower) < 0 {
		lower = i.lower
	}
	if upper == nil || i.upper != nil && compare(upper, i.upper) > 0 {
		upper = i.upper
	}
	if lower != nil && upper != nil && compare(lower, upper) > 0 {
		upper = lower // no key
	}
	i.options.LowerBound, i.options.UpperBound = bytes.Clone(lower), bytes.Clone(upper)
	if i.ranges != nil {
		i.ranges.SetRange(lower, upper)
	}
}

// prefixBounds returns the bounds of the keys that begin with prefix. Nil is
// the end of all keys.
func prefixBounds(c *pebble.Comparer, prefix []byte) (lower, upper []byte, err error) {
	if len(prefix) == 0 {
		return nil, nil, nil
	}
	if lower, err = keyFrom(c, prefix); err != nil {
		return nil, nil, err
	}
	// All keys from a prefix of bytes 0xff on begin with it.
	last := len(prefix) - 1
	for last >= 0 && prefix[last] == 0xff {
		last--
	}
	if last >= 0 {
		end := bytes.Clone(prefix[:last+1])
		end[last]++
		upper, err = keyFrom(c, end)
	}
	return lower, upper, err
}

// keyFrom returns the first key of a comparer from some bytes on. These are one
// themselves, or a zero behind them makes them one, as in CockroachDB's keys,
// all of which end so: no other bytes lie between. Keys are ordered by their
// bytes before the suffix.
func keyFrom(c *pebble.Comparer, begin []byte) ([]byte, error) {
	isKey := func(key []byte) bool { return c.ValidateKey.Validate(key) == nil && c.Split(key) == len(key) }
	if isKey(begin) {
		return bytes.Clone(begin), nil
	}
	if key := append(bytes.Clone(begin), 0); isKey(key) {
		return key, nil
	}
	return nil, fmt.Errorf("%q begins no key of %s", begin, c.Name)
}
