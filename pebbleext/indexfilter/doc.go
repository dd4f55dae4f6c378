// Package indexfilter keeps a filter of each data block's keys with the block's
// entry in the index of its SSTable, as a block property. A lookup reads that
// entry anyway, so these filters take no block of their own: where table
// filters do not fit in the block cache, they still skip data blocks.
//
// [Collector] writes the filters, for plans with index=. Pebble asks them only
// through iterators that carry a [Filter], as pebbleext.Reader's do.
//
// Filters of whole keys do not help scans. Prefix filters hold what an
// [Extractor] takes of each key, for scans of keys with a common prefix, such as
// those of an account or a folder. [PrefixCollector] writes them, for plans with
// prefix=, and pebbleext.Reader.NewPrefixIter asks them. Range filters tell
// where the keys of a block lie, for scans of few keys or none, whatever their
// bounds: see package keyrange. [RangeCollector] writes them, for plans with
// range=, and pebbleext.Reader.NewBoundedIter asks them.
//
// A block that may matter is never skipped: [Filter] says why, [Collector] what
// filters cost.
package indexfilter
