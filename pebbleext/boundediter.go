package pebbleext

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/external"
)

// WithPrefixes makes a Reader ask the prefix filters of an extractor, the
// Prefix of the store's plan. Tables of another extractor are read without.
func WithPrefixes(e indexfilter.Extractor) ReaderOption {
	return ReaderOption{func(o *readerOptions) { o.prefixes = e }}
}

// BoundedIter is a pebble.Iterator that skips data blocks without keys within
// its bounds. It shows the keys that an iterator with these bounds shows, and
// has all of its methods.
//
// Set its bounds by its own methods, not those of the Iterator in it: that would
// show keys outside of the bounds that it knows, and not all of them.
type BoundedIter struct {
	*pebble.Iterator
	comparer     *pebble.Comparer
	lower, upper []byte                   // of the prefix
	prefix       *indexfilter.Filter      // nil for none
	ranges       *indexfilter.RangeFilter // nil for none
	guard        *external.Guard          // of both
	options      pebble.IterOptions       // without these filters
}

// NewBoundedIter returns an iterator over the keys within the bounds of options.
// The caller closes it.
//
// It asks range filters: data blocks that may have no key within the bounds are
// not read. They are asked over the same readers as index filters. A filter
// tells where the keys of its block lie, to a fraction of their distance. So it
// helps scans that find little: those of a few keys, or none. It does not help
// where a range begins or ends right behind a key that is not in it.
//
// Once the store shows an external object, whose table may have keys with a prefix
// that a filter does not know, no filter is asked any more; iterators that are open
// go on without.
func (r *Reader) NewBoundedIter(options *pebble.IterOptions) (*BoundedIter, error) {
	return r.NewPrefixIter(nil, options)
}

// NewPrefixIter returns an iterator over the keys that begin with prefix: the
// bytes of it, before a key's suffix (Comparer.Split). An empty prefix is that
// of all keys. The options may be nil; their bounds narrow the iterator, as those
// of [BoundedIter.SetBounds] do. The caller closes the iterator.
//
// If the Reader was made [WithPrefixes], and the extractor takes a prefix of these
// bytes, then data blocks that have no key with it are not read, but for one in
// 256. A prefix that the extractor finds too short, such as "acc" where prefixes
// end at a slash, is scanned without prefix filters. Range filters are asked as
// [Reader.NewBoundedIter] does.
func (r *Reader) NewPrefixIter(prefix []byte, options *pebble.IterOptions) (*BoundedIter, error) {
	lower, upper, err := prefixBounds(r.store.comparer, prefix)
	if err != nil {
		return nil, err
	}
	i := &BoundedIter{comparer: r.store.comparer, lower: lower, upper: upper}
	if r.store.filter != nil {
		i.guard, i.ranges = r.store.filter.guard, indexfilter.NewRangeFilter(i.comparer)
		if r.store.prefixes != nil {
			i.prefix = indexfilter.NewPrefixFilter(r.store.prefixes, bytes.Clone(prefix))
		}
	}
	i.Iterator, err = r.store.Reader.NewIter(i.setOptions(cmp.Or(options, &pebble.IterOptions{})))
	if err != nil {
		return nil, err
	}
	return i, nil
}

// SetBounds is that of pebble.Iterator. Bounds of an iterator over a prefix
// narrow it: what lies outside of the prefix is never shown, and nil is its end.
func (i *BoundedIter) SetBounds(lower, upper []byte) {
	i.setBounds(lower, upper)
	i.Iterator.SetBounds(i.options.LowerBound, i.options.UpperBound)
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
	if i.ranges != nil {
		clone.ranges = indexfilter.NewRangeFilter(i.comparer)
	}
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
	all.PointKeyFilters = append(make([]pebble.BlockPropertyFilter, 0, len(options.PointKeyFilters)+3), options.PointKeyFilters...)
	if i.prefix != nil {
		all.PointKeyFilters = append(all.PointKeyFilters, guarded{i.prefix, i.guard})
	}
	if i.ranges != nil {
		all.PointKeyFilters = append(all.PointKeyFilters, guarded{i.ranges, i.guard})
	}
	return &all
}

// setBounds keeps bounds within those of the prefix, and asks range filters for
// them.
func (i *BoundedIter) setBounds(lower, upper []byte) {
	if lower == nil || i.lower != nil && i.comparer.Compare(lower, i.lower) < 0 {
		lower = i.lower
	}
	if upper == nil || i.upper != nil && i.comparer.Compare(upper, i.upper) > 0 {
		upper = i.upper
	}
	if lower != nil && upper != nil && i.comparer.Compare(lower, upper) > 0 {
		upper = lower // no key
	}
	i.options.LowerBound, i.options.UpperBound = bytes.Clone(lower), bytes.Clone(upper)
	if i.ranges != nil {
		i.ranges.SetRange(lower, upper)
	}
}

// prefixBounds returns the bounds of the keys that begin with prefix. Nil is the
// end of all keys.
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
