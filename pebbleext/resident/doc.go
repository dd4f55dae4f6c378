// Package resident keeps filters of a Pebble store in memory, outside of its
// block cache, within a budget of their own.
//
// Pebble reads a whole filter block through the block cache to answer for one
// key: where filters do not fit there, they cost more than they save. A filter
// in memory answers when an iterator opens a table, before any block of it is
// read, the index included. "No" costs no read and no iterator of the table.
//
//	filters, err := resident.New(resident.Settings{Budget: 64 << 20})
//	pebbleext.Apply(opts, plan)
//	filters.Apply(opts)
//	db, err := pebble.Open(dir, opts)
//	err = filters.Start(db, opts)
//	reader := pebbleext.NewReader(db, opts.Comparer, pebbleext.WithResident(filters))
//	…
//	filters.Close() // before db.Close()
//
// # Which filters are in memory
//
// A table names its filter in a property of 16 bytes, a hash of the filter
// block. Blocks are handed over when a flush or compaction has written them,
// or read in the background from tables that lookups open, and kept by how many
// openings they save for each byte. What was counted loses half of its weight
// in a minute. The filters of tables that are gone leave.
//
// # What makes it safe
//
// A filter that answers for another table hides keys. The writer of a table
// names a filter that saw the same keys, by a keyed hash of all of them, and
// asks it for a sample of these before it does. Whatever is read later, from
// tables or from a file of saved filters, is verified by its hash. Tables
// without the property are never asked, nor is any once the store shows external
// files, whose keys may have other names than in the file.
//
// # Object storage
//
// Tables may lie in object storage (Options.Experimental.RemoteStorage, set before
// Apply), those that another store wrote and shares among them. A table that is
// not opened is a request or more that is not made. With Settings.File a process
// that begins anew has the filters that it had, and reads nothing of the tables
// that it knew. Else one request tells of a table's filter, and two or three load
// it. While requests fail, lookups go on without the filters that are not there,
// and the time between attempts doubles.
//
// # Cost
//
// Lookups write no memory that other cores use, but one count in a sample of
// at most 20,000 queries a second: they hold a pin, in a cache line pair that a
// core keeps, so that memory is not reused while they read it. What 100 cores
// would share is read only: the directory, the filters, and an epoch that
// changes when filters are evicted or moved.
//
// With everything in the block cache and four levels, an absent key takes 0.60
// of the time of an iterator with UseL6Filters, and a batch of 100 keys 0.80 of
// that without resident filters (go test -bench Lookup -benchtime 60x). With
// 1 GiB of filters, a query at random takes 0.44 of that of the same filters at
// 16 bytes past a line on the Go heap (go test -bench Alignment -benchtime 30x
// -align-bytes 1073741824). Both are medians of interleaved turns.
package resident
