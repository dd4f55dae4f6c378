// Package resident keeps filters of a Pebble store in memory, outside of its
// block cache: in memory that they take off the cache, as much as pays there
// (memory.go, climb.go), or within a budget of their own.
//
// Pebble reads a whole filter block to answer for one key: where filters do not
// fit the block cache, they cost more than they save. A filter in memory
// answers when an iterator opens a table, before anything of it is read. "No"
// costs no read and no iterator of the table.
//
//	db, err := pebbleext.Open(dir, opts, pebbleext.Options{})
//
// A table names its filter in a property of 16 bytes, a hash of the filter
// block. Blocks come from writers of tables, or are read in the background from
// tables that lookups open. Each is in memory with as many bits as pay: filters
// of family ribbon are cut, others are whole or not there (price.go).
//
// A filter that answers for another table hides keys. The writer of a table
// names a filter that saw the same keys, by a keyed hash of all of them, and
// asks it for a sample of these before it does. Whatever is read later is
// verified by its hash, and then cut. Tables without the property are never
// asked, nor is any once the store shows external files, whose keys may have
// other names than in the file.
package resident
