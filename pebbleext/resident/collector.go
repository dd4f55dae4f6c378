package resident

import (
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// PropertyName is the name of the property by which a table names its filter.
// Its value is of the table; index entries have none. It is 16 bytes, and
// behind them the name of the extractor whose prefixes the filter has, if there
// is one.
const PropertyName = "gravel.filter"

// collector writes the property.
type collector struct {
	filters *Filters
	split   pebble.Split
	sum     keySum
	sample  keySample
}

var _ pebble.BlockPropertyCollector = (*collector)(nil)

// Name implements pebble.BlockPropertyCollector.
func (c *collector) Name() string { return PropertyName }

// AddPointKey implements pebble.BlockPropertyCollector. It sees what the
// filter's writer sees, which gets each key's prefix.
func (c *collector) AddPointKey(key pebble.InternalKey, _ []byte) error {
	prefix := key.UserKey[:c.split(key.UserKey)]
	c.sum.add(prefix)
	c.sample.add(prefix)
	return nil
}

// AddRangeKeys implements pebble.BlockPropertyCollector. Filters hold point
// keys only.
func (c *collector) AddRangeKeys(sstable.Span) error { return nil }

// SupportsSuffixReplacement implements pebble.BlockPropertyCollector.
func (c *collector) SupportsSuffixReplacement() bool { return true }

// AddCollectedWithSuffixReplacement implements pebble.BlockPropertyCollector.
// The old table's property is not shown, so the new one gets none, and no
// filter is asked for it.
func (c *collector) AddCollectedWithSuffixReplacement(_, _, _ []byte) error { return nil }

// FinishDataBlock implements pebble.BlockPropertyCollector.
func (c *collector) FinishDataBlock(buf []byte) ([]byte, error) { return buf, nil }

// AddPrevDataBlockToIndexBlock implements pebble.BlockPropertyCollector.
func (c *collector) AddPrevDataBlockToIndexBlock() {}

// FinishIndexBlock implements pebble.BlockPropertyCollector.
func (c *collector) FinishIndexBlock(buf []byte) ([]byte, error) { return buf, nil }

// FinishTable implements pebble.BlockPropertyCollector. It asks the filter that
// it names for some of the table's keys.
func (c *collector) FinishTable(buf []byte) ([]byte, error) {
	made, ok := c.filters.links.take(c.sum)
	if !ok {
		return buf, nil
	}
	if !made.holds(c.sample.keys) {
		c.filters.reject(made.id)
		return buf, nil
	}
	return append(buf, made.property()...), nil
}
