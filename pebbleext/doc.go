// Package pebbleext runs a Pebble store with Gravel's filters.
//
// A [Plan] names the policy of each level, and [Apply] sets it on
// pebble.Options:
//
//	plan, err := pebbleext.ParsePlan("L0-L5=bloom:14;L6=bloom:10")
//	…
//	pebbleext.Apply(opts, plan)
//
// Filters only help if reads ask them. pebble.DB.Get asks the filters of L0 to
// L5 but never those of L6, where most keys of a store live, so a lookup of an
// absent key reads a data block there for nothing. [Reader] looks keys up with
// the filters of all levels:
//
//	reader := pebbleext.NewReader(db, opts.Comparer)
//	value, closer, err := reader.Get(key)
//
// Scans of the keys that begin with a prefix ask prefix filters, which a plan
// with prefix= writes:
//
//	reader := pebbleext.NewReader(db, opts.Comparer, pebbleext.WithPrefixes(plan.Prefix))
//	iter, err := reader.NewPrefixIter([]byte("account-7/"), nil)
//
// [Open] does all of that for programs that call Get in many places: it returns a
// [DB], a pebble.DB whose Get is a Reader's.
//
// Packages beside this one: levelplan finds the plan for a store and a budget,
// tuner does so again and again while the store is open, refilter gives existing
// tables the filters of a plan without waiting for compactions, inspect says what
// filters a store has, prometheus and [CountQueries] what they answer, hotkeys
// which absent keys are asked for most, keytrace records which keys are asked for,
// and pebblev1 is this package for Pebble v1.
//
// A store that is read with pebble.DB.Get only should write no filters in L6
// (L6=none): they would cost memory and save nothing.
package pebbleext
