package pebblev1

import (
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble"

	"github.com/gravelkv/gravel/blockfilter/datablock"
	"github.com/gravelkv/gravel/pebbleext/internal/blockproperty"
)

// ApplyIndex makes tables that are written with opts have index filters of so
// many bits a fingerprint, from 4 to 16. An absent key passes one data block's
// filter with a chance of 2^-bits. A Reader asks them. Set opts.Comparer before.
// It panics if the bits are wrong.
//
// Tables have them from pebble.FormatBlockPropertyCollector on, which is not the
// format of a store by default: set opts.FormatMajorVersion. A lookup reads an
// index block of each table: have LevelOptions.IndexBlockSize be 4 to 8 KiB.
// Package indexfilter of version 2 says what the filters cost; both versions read
// those of either.
func ApplyIndex(opts *pebble.Options, bits int) {
	if bits < datablock.MinBits || bits > datablock.MaxBits {
		panic(fmt.Sprintf("pebblev1: %d bits a fingerprint; %d to %d are right", bits, datablock.MinBits, datablock.MaxBits))
	}
	comparer := withSplit(opts.Comparer)
	name := blockproperty.IndexName(comparer.Name)
	prefix := func(key []byte) ([]byte, bool) { return key[:comparer.Split(key)], true }
	opts.BlockPropertyCollectors = append(slices.Clip(opts.BlockPropertyCollectors), func() pebble.BlockPropertyCollector {
		return &collector{blockproperty.NewCollector(name, prefix, bits, datablock.NewBuilder(bits))}
	})
}

// collector is a pebble.BlockPropertyCollector of one table.
type collector struct{ blockproperty.Collector }

// Add implements pebble.BlockPropertyCollector. Range keys, which it gets too,
// lie in no data block.
func (c *collector) Add(key pebble.InternalKey, _ []byte) error {
	switch key.Kind() {
	case pebble.InternalKeyKindRangeKeySet, pebble.InternalKeyKindRangeKeyUnset, pebble.InternalKeyKindRangeKeyDelete:
	default:
		c.Collector.Add(key.UserKey)
	}
	return nil
}

// UpdateKeySuffixes implements sstable.SuffixReplaceableBlockCollector.
func (c *collector) UpdateKeySuffixes(old, _, _ []byte) error {
	c.Copy(old)
	return nil
}

// indexFilter is a pebble.BlockPropertyFilter that asks index filters for one
// key at a time.
type indexFilter struct {
	name   string
	prefix []byte // nil for any
}

func (f *indexFilter) Name() string { return f.name }

func (f *indexFilter) Intersects(property []byte) (bool, error) {
	return f.prefix == nil || datablock.MayContain(property, f.prefix), nil
}
