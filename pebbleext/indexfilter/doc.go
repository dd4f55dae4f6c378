// Package indexfilter keeps a filter of each data block's keys with the block's
// entry in the index of its SSTable, as a block property. A lookup reads that
// entry anyway, so these filters take no block of their own: where table
// filters do not fit in the block cache, they still skip data blocks.
//
// [Collector] writes the filters, and pebbleext.Apply installs it for plans
// with index=. Pebble asks them only through iterators that carry a [Filter],
// as pebbleext.Reader's do.
//
// # Prefix filters
//
// No filter of whole keys helps a scan: it reads a data block in each level,
// whether or not that has a key of the scan. Where scans ask for the keys that
// begin with the same bytes, those of an account or a folder, prefix filters
// tell. They hold what an [Extractor] takes of each key, and are otherwise like
// index filters, beside which they may lie. [PrefixCollector] writes them, for
// plans with prefix=, and pebbleext.Reader.NewPrefixIter asks them.
//
// # Range filters
//
// They tell where the keys of a block lie, so that a scan of few keys, or none,
// reads no block without them, whatever its bounds. See package keyrange for what
// they hold and when they help little. [RangeCollector] writes them, for plans
// with range=, and pebbleext.Reader.NewBoundedIter asks them.
//
// # Correctness
//
// A filter holds the prefix (Comparer.Split) of every point key of its block,
// tombstones and obsolete keys among them. So a block that may matter to a
// lookup is never skipped. Range deletions lie in blocks of their own. The same
// holds for what an Extractor takes of it, which depends on the prefix alone, and
// for ranges, in which a tombstone lies with what it deletes.
//
// The property's name has the extractor's. So a table with prefixes of another
// extractor answers nothing.
//
// Tables with a synthetic suffix keep the prefixes of their keys. Tables with a
// synthetic prefix do not, and Pebble does not tell a filter of it: see
// [SyntheticPrefixes].
//
// Each filter's hash has a seed of its own, drawn at random and stored with it.
// So keys that were prepared to pass one filter pass others no more often than
// any keys.
//
// Whatever is not the filter of a data block says "maybe": a property that is
// missing, empty or damaged, those of index blocks, which are empty, and that
// of the table.
//
// # Cost
//
// With 8 bits a fingerprint and 4M records of 64 bytes, 47 in each data block,
// tables grow by 10.3 bits a record: 8.7 for the filter, the rest for its place
// in the entry, and because index blocks with filters do not compress. Fewer
// entries fit in an index block of 4 KiB, so that pebble.DB.Get, which does not
// ask index filters, has 21 % more reads where the block cache is small. Building
// takes 35 ns a key (go test -bench Collector ./pebbleext/indexfilter). With all
// in the block cache and four levels, a lookup of an absent key takes 1.28 times
// as long as by an iterator with table filters of all levels (go test -bench
// IndexFilters ./pebbleext).
package indexfilter
