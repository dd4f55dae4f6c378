// Package pebbleext runs a Pebble store with Gravel's filters.
//
//	db, err := pebbleext.Open(dir, opts, pebbleext.Options{})
//	…
//	value, closer, err := db.Get(key)
//
// A [Plan] names the filters that each level writes. Filters only help if reads
// ask them: pebble.DB.Get never asks those of L6, where most keys of a store
// live, so the lookup of an absent key reads a data block there for nothing. The
// Get of a [DB] is that of a [Reader], which asks the filters of all levels where
// that pays. (A store that is read with pebble.DB.Get alone should write none in
// L6, L6=none.)
//
// Programs that open their store themselves call [Apply] before, and
// [Setup.NewReader] after. [Reader.NewPrefixIter] scans keys with a common
// prefix, and [Reader.NewBoundedIter] those of any range.
//
// Packages beside this one: resident keeps filters in memory, levelplan finds the
// plan for a store and a budget, refilter gives tables that exist the filters of
// a plan, inspect says what filters a store has, metrics what they answer,
// hotkeys which absent keys are asked for most, keytrace records which keys are
// asked for, and pebblev1 is this package for Pebble v1.
package pebbleext
