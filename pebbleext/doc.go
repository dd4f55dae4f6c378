// Package pebbleext runs a Pebble store with Gravel's filters.
//
//	plan, err := pebbleext.ParsePlan("L0-L5=dense:10;L6=ribbon:8;index=8")
//	…
//	db, err := pebbleext.Open(dir, opts, plan)
//	…
//	value, closer, err := db.Get(key)
//
// A [Plan] names the filters that each level writes. Filters only help if reads
// ask them: pebble.DB.Get never asks those of L6, where most keys of a store
// live, so the lookup of an absent key reads a data block there for nothing. The
// Get of a [DB] asks the filters of all levels. (A store that is read with
// pebble.DB.Get alone should write none in L6, L6=none.)
//
// Programs that open their store themselves call [Apply] before, and [NewReader]
// after. [Reader.NewPrefixIter] scans keys with a common prefix, and
// [Reader.NewBoundedIter] those of any range.
//
// Packages beside this one: resident keeps filters in memory of their own,
// levelplan finds the plan for a store and a budget, refilter gives tables that
// exist the filters of a plan, inspect says what filters a store has, metrics
// and [CountQueries] what they answer, hotkeys which absent keys are asked for
// most, keytrace records which keys are asked for, and pebblev1 is this package
// for Pebble v1.
package pebbleext
