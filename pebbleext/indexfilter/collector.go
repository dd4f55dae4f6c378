package indexfilter

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/gravelkv/gravel/blockfilter/datablock"
)

// MinBits and MaxBits bound the bits of a fingerprint.
const (
	MinBits = datablock.MinBits
	MaxBits = datablock.MaxBits
)

// Collector returns what pebble.Options.BlockPropertyCollectors needs to write
// index filters of so many bits a fingerprint. An absent key passes one data
// block's filter with a chance of 2^-bits. The comparer is the store's; nil
// means pebble.DefaultComparer. It panics if bits are not from MinBits to
// MaxBits.
//
// # Cost
//
// With 8 bits a fingerprint and 4M records of 64 bytes, 47 in each data block,
// tables grow by 10.3 bits a record: 8.7 for the filter, the rest for its place
// in the entry, and because index blocks with filters do not compress. Fewer
// entries fit in an index block of 4 KiB, so that pebble.DB.Get, which does not
// ask index filters, has 21 % more reads where the block cache is small.
// Building takes 35 ns a key (go test -bench Collector
// ./pebbleext/indexfilter). With all in the block cache and four levels, a
// lookup of an absent key takes 1.28 times as long as by an iterator with table
// filters of all levels (go test -bench IndexFilters ./pebbleext).
func Collector(comparer *pebble.Comparer, bits int) func() pebble.BlockPropertyCollector {
	if bits < MinBits || bits > MaxBits {
		panic(fmt.Sprintf("indexfilter: %d bits a fingerprint; %d to %d are right", bits, MinBits, MaxBits))
	}
	comparer = comparer.EnsureDefaults()
	return newCollector(PropertyName(comparer), splitOf(comparer), bits)
}

// PrefixBits are the bits of a fingerprint of prefix filters.
const PrefixBits = 8

// PrefixCollector is Collector for prefix filters. A prefix that no key has
// passes one data block's filter with a chance of 2^-PrefixBits. A table has
// prefix filters of one extractor.
func PrefixCollector(comparer *pebble.Comparer, e Extractor) func() pebble.BlockPropertyCollector {
	split := comparer.EnsureDefaults().Split
	extract := func(key []byte) ([]byte, bool) { return PrefixOf(e, key[:split(key)]) }
	newBlocks := newCollector(PrefixPropertyName(e), extract, PrefixBits)
	return func() pebble.BlockPropertyCollector { return prefixCollector{newBlocks(), e} }
}

// prefixCollector is one whose extractor can be told.
type prefixCollector struct {
	pebble.BlockPropertyCollector
	extractor Extractor
}

// ExtractorOf returns the extractor of the prefix filters that a store opened
// with opts writes, nil for none.
func ExtractorOf(opts *pebble.Options) Extractor {
	for _, construct := range opts.BlockPropertyCollectors {
		if c, ok := construct().(prefixCollector); ok {
			return c.extractor
		}
	}
	return nil
}

// splitOf returns the prefix of each key.
func splitOf(comparer *pebble.Comparer) func(key []byte) ([]byte, bool) {
	return func(key []byte) ([]byte, bool) { return key[:comparer.Split(key)], true }
}

func newCollector(name string, prefix func([]byte) ([]byte, bool), bits int) func() pebble.BlockPropertyCollector {
	return func() pebble.BlockPropertyCollector {
		return &collector{name: name, prefix: prefix, bits: bits, block: datablock.NewBuilder(bits)}
	}
}

// builder builds the filters of one data block after another.
type builder interface {
	Add(key []byte)
	AppendFilter(dst []byte) []byte
}

// collector is a pebble.BlockPropertyCollector of one table.
type collector struct {
	name string
	// prefix returns what of a key the filters hold, if anything.
	prefix func(key []byte) ([]byte, bool)
	bits   int
	block  builder
	// copied is the filter of a block that only changes its keys' suffix.
	copied []byte
}

// Name implements pebble.BlockPropertyCollector, as the methods below do.
func (c *collector) Name() string { return c.name }

func (c *collector) AddPointKey(key sstable.InternalKey, _ []byte) error {
	if prefix, ok := c.prefix(key.UserKey); ok {
		c.block.Add(prefix)
	}
	return nil
}

// AddRangeKeys has nothing to add: filters are asked for point keys alone.
func (c *collector) AddRangeKeys(sstable.Span) error { return nil }

// AddCollectedWithSuffixReplacement gives the data block its old filter:
// prefixes stay.
func (c *collector) AddCollectedWithSuffixReplacement(old, _, _ []byte) error {
	c.copied = append(c.copied[:0], old...)
	return nil
}

func (c *collector) SupportsSuffixReplacement() bool { return true }

func (c *collector) FinishDataBlock(buf []byte) ([]byte, error) {
	buf = append(buf, c.copied...)
	c.copied = c.copied[:0]
	return c.block.AppendFilter(buf), nil
}

func (c *collector) AddPrevDataBlockToIndexBlock() {}

func (c *collector) FinishIndexBlock(buf []byte) ([]byte, error) { return buf, nil }

func (c *collector) FinishTable(buf []byte) ([]byte, error) {
	return append(buf, byte(c.bits)), nil
}
