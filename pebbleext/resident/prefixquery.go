package resident

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

// PrefixQuery asks the filters in memory for a prefix that all keys of an
// iterator have, whatever its bounds will be. Tables without it are taken for
// excluded: no index block of theirs is read.
//
// A filter without prefixes, or with those of another extractor, would deny a
// prefix that its table has. So a table says in the property that names its
// filter of which extractor the prefixes in the filter are. The filter's writer
// brings both about, and a table that names no extractor is not asked.
//
// A PrefixQuery is for one iterator at a time.
type PrefixQuery struct {
	question
	extractor string
}

var _ pebble.BlockPropertyFilter = (*PrefixQuery)(nil)

// PrefixQuery returns a PrefixQuery for keys that begin with some bytes, which
// it keeps without a copy. It is nil if the extractor takes no prefix of these.
func (f *Filters) PrefixQuery(e indexfilter.Extractor, begin []byte) *PrefixQuery {
	prefix, ok := prefixOf(e, begin)
	if !ok {
		return nil
	}
	q := &PrefixQuery{newQuestion(), e.String()}
	q.filters, q.prefix = f, prefix
	return q
}

// Name implements pebble.BlockPropertyFilter.
func (q *PrefixQuery) Name() string { return PropertyName }

// SyntheticSuffixIntersects implements pebble.BlockPropertyFilter. Suffixes
// change no prefix.
func (q *PrefixQuery) SyntheticSuffixIntersects(property, _ []byte) (bool, error) {
	return q.Intersects(property)
}

// Intersects implements pebble.BlockPropertyFilter. It reports false if the
// table with that property has no key of the prefix.
func (q *PrefixQuery) Intersects(property []byte) (bool, error) {
	id, extractor, ok := parseProperty(property)
	if !ok || len(extractor) == 0 || string(extractor) != q.extractor {
		return true, nil
	}
	_, may := q.askFor(id)
	return may, nil
}
