// Package levelplan finds the filters that spend a memory budget where they
// save most reads.
//
//	shape, err := levelplan.ReadShape(db, opts.Comparer)
//	…
//	plan, err := shape.Plan(levelplan.Budget{Bytes: 64 << 20})
//	…
//	db, err = pebbleext.Open(dir, opts, pebbleext.Options{Plan: plan})
//
// A [Shape] says how many keys each level of a store has. [Shape.Plan] makes a
// plan of table filters that are all in memory, and [Shape.Forecast] says how
// many data blocks lookups then read in vain. Where memory is short,
// [Shape.Divisions] divides it between filters and the block cache by what
// [Shape.DiskReads] says that lookups read from disk.
package levelplan
