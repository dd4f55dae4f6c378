// Package pebblev1 runs a store of Pebble v1, github.com/cockroachdb/pebble,
// with Gravel's filters.
//
//	import filters "github.com/gravelkv/gravel/filterpolicy/pebblev1"
//
//	db, err := pebblev1.Open(dir, opts, pebblev1.Uniform(filters.Bloom(10)))
//	…
//	value, closer, err := db.Get(key)
//
// A program that opens its store itself takes [Apply] and [Setup.NewReader].
//
// It has table filters and the Reader. Filters in memory, those in the index and
// counts are for version 2 alone.
//
// It is to version 1 what package pebbleext is to version 2. It brings version
// 1 to those who import it, and nobody else; version 2 does not come with it.
//
// # Differences between the versions
//
// A level without filters is one without a policy. In version 1 it inherits
// none from the level above, unless it is missing at the end of
// pebble.Options.Levels.
//
// In version 1 an iterator can ask filters only if the store's comparer has a
// Split function, and pebble.DefaultComparer has none. Apply gives it one that
// takes the whole key for the prefix, as the same comparer of version 2 has it.
// The order of keys, the comparer's name and existing tables stay as they are.
package pebblev1
