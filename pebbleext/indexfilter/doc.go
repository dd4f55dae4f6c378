// Package indexfilter keeps a filter of each data block's keys with the block's
// entry in the index of its SSTable, as a block property. A lookup reads that
// entry anyway, so these filters take no block of their own: where table
// filters do not fit in the block cache, they still skip data blocks.
//
// [Collector] writes the filters, and pebbleext.Apply installs it for plans
// with index=. Pebble asks them only through iterators that carry a [Filter],
// as pebbleext.Reader's do.
//
// # Correctness
//
// A filter holds the prefix (Comparer.Split) of every point key of its block,
// tombstones and obsolete keys among them. So a block that may matter to a
// lookup is never skipped. Range deletions lie in blocks of their own.
//
// Tables with a synthetic suffix keep the prefixes of their keys. Tables with a
// synthetic prefix do not, and Pebble does not tell a filter of it: see
// [SyntheticPrefixes].
//
// Whatever is not the filter of a data block says "maybe": a property that is
// missing, empty or damaged, those of index blocks, which are empty, and that
// of the table.
package indexfilter
