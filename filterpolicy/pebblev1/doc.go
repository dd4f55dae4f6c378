// Package pebblev1 has the filter policies of package filterpolicy for Pebble
// v1, github.com/cockroachdb/pebble.
//
//	opts.Levels[i].FilterPolicy = pebblev1.Bloom(10)
//
// They write the same filter blocks under the same name, so a store keeps its
// filters when its version of Pebble is raised. Package pebbleext/pebblev1 sets
// the policies of all levels, and reads with the filters of L6.
//
// Who imports this package gets version 1 of Pebble with it, and not version 2.
// Nobody else gets version 1.
package pebblev1
