package pebbleext

import (
	"bytes"
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

// WithPrefixes makes a Reader ask the prefix filters of an extractor, the
// Prefix of the store's plan. Tables of another extractor are read without.
func WithPrefixes(e indexfilter.Extractor) ReaderOption {
	return ReaderOption{func(o *readerOptions) { o.prefixes = e }}
}

// PrefixIter is a pebble.Iterator over the keys that begin with a prefix. It
// shows them as an iterator with their bounds would, with all of its methods,
// and skips data blocks that have none of them.
//
// Its bounds are its own. Do not set those of the Iterator in it: data blocks
// outside of the prefix may be skipped there, too.
type PrefixIter struct {
	*pebble.Iterator
	compare      pebble.Compare
	lower, upper []byte       // of the prefix
	filter       *indexFilter // nil for none
}

// NewPrefixIter returns an iterator over the keys that begin with prefix: the
// bytes of it, before a key's suffix (Comparer.Split). An empty prefix is that
// of all keys. The options may be nil; their bounds narrow the iterator, as those
// of [PrefixIter.SetBounds] do. The caller closes the iterator.
//
// If the Reader was made [WithPrefixes], and the extractor takes a prefix of these
// bytes, then data blocks that have no key with it are not read, but for one in
// 256. A prefix that the extractor finds too short, such as "acc" where prefixes
// end at a slash, is scanned without filters. They are asked over the same
// readers as index filters.
func (r *Reader) NewPrefixIter(prefix []byte, options *pebble.IterOptions) (*PrefixIter, error) {
	lower, upper, err := prefixBounds(r.store.comparer, prefix)
	if err != nil {
		return nil, err
	}
	i := &PrefixIter{compare: r.store.comparer.Compare, lower: lower, upper: upper}
	if r.store.prefixes != nil && r.store.filter != nil {
		i.filter = r.store.filter.forPrefix(indexfilter.NewPrefixFilter(r.store.prefixes, bytes.Clone(prefix)))
	}
	i.Iterator, err = r.store.Reader.NewIter(i.narrow(options))
	if err != nil {
		return nil, err
	}
	return i, nil
}

// SetBounds is that of pebble.Iterator, with bounds that narrow the prefix: what
// lies outside of it is never shown. Nil is the end of the prefix.
func (i *PrefixIter) SetBounds(lower, upper []byte) {
	i.Iterator.SetBounds(i.cut(lower, upper))
}

// SetOptions is that of pebble.Iterator, with bounds as in SetBounds.
func (i *PrefixIter) SetOptions(options *pebble.IterOptions) {
	i.Iterator.SetOptions(i.narrow(options))
}

// Clone is that of pebble.Iterator, with bounds as in SetBounds.
func (i *PrefixIter) Clone(options pebble.CloneOptions) (*PrefixIter, error) {
	return i.CloneWithContext(context.Background(), options)
}

// CloneWithContext is Clone with a context for what the clone reads.
func (i *PrefixIter) CloneWithContext(ctx context.Context, options pebble.CloneOptions) (*PrefixIter, error) {
	clone := *i
	if options.IterOptions != nil {
		options.IterOptions = i.narrow(options.IterOptions)
	}
	var err error
	if clone.Iterator, err = i.Iterator.CloneWithContext(ctx, options); err != nil {
		return nil, err
	}
	return &clone, nil
}

// narrow returns a copy of options with bounds within the prefix, and with its
// filter.
func (i *PrefixIter) narrow(options *pebble.IterOptions) *pebble.IterOptions {
	var narrow pebble.IterOptions
	if options != nil {
		narrow = *options
	}
	narrow.LowerBound, narrow.UpperBound = i.cut(narrow.LowerBound, narrow.UpperBound)
	if i.filter != nil {
		// Pebble appends one of its own.
		filters := make([]pebble.BlockPropertyFilter, 0, len(narrow.PointKeyFilters)+2)
		narrow.PointKeyFilters = append(append(filters, narrow.PointKeyFilters...), i.filter)
	}
	return &narrow
}

// cut returns bounds within those of the prefix.
func (i *PrefixIter) cut(lower, upper []byte) (cutLower, cutUpper []byte) {
	if lower == nil || i.lower != nil && i.compare(lower, i.lower) < 0 {
		lower = i.lower
	}
	if upper == nil || i.upper != nil && i.compare(upper, i.upper) > 0 {
		upper = i.upper
	}
	if lower != nil && upper != nil && i.compare(lower, upper) > 0 {
		upper = lower // no key
	}
	return lower, upper
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
