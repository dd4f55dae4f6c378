// Package blockproperty collects the filters of data blocks as block properties
// of Pebble. It imports no version of Pebble; packages indexfilter and pebblev1
// bind it to theirs.
package blockproperty

// IndexName returns the name of the property of index filters in stores of a
// comparer. A filter holds prefixes: one written with another Split is never
// asked.
func IndexName(comparer string) string { return "gravel.index." + comparer }

// Builder builds the filters of one data block after another.
type Builder interface {
	Add(key []byte)
	AppendFilter(dst []byte) []byte
}

// Collector is a pebble.BlockPropertyCollector of one table, but for the methods
// that take keys.
type Collector struct {
	name string
	// prefix returns what of a key the filters hold, if anything.
	prefix func(key []byte) ([]byte, bool)
	bits   int
	block  Builder
	// copied is the filter of a block that only changes its keys' suffix.
	copied []byte
}

// NewCollector returns a Collector of a property.
func NewCollector(name string, prefix func([]byte) ([]byte, bool), bits int, block Builder) Collector {
	return Collector{name: name, prefix: prefix, bits: bits, block: block}
}

// Add adds a point key to the data block.
func (c *Collector) Add(key []byte) {
	if prefix, ok := c.prefix(key); ok {
		c.block.Add(prefix)
	}
}

// Copy gives the data block an old filter: prefixes stay.
func (c *Collector) Copy(filter []byte) { c.copied = append(c.copied[:0], filter...) }

// Name implements pebble.BlockPropertyCollector, as the methods below do.
func (c *Collector) Name() string { return c.name }

func (c *Collector) FinishDataBlock(buf []byte) ([]byte, error) {
	buf = append(buf, c.copied...)
	c.copied = c.copied[:0]
	return c.block.AppendFilter(buf), nil
}

func (c *Collector) AddPrevDataBlockToIndexBlock() {}

func (c *Collector) FinishIndexBlock(buf []byte) ([]byte, error) { return buf, nil }

func (c *Collector) FinishTable(buf []byte) ([]byte, error) {
	return append(buf, byte(c.bits)), nil
}
