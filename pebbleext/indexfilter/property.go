package indexfilter

import "github.com/cockroachdb/pebble/v2"

// PropertyName returns the name of the block property in stores of a comparer;
// nil means pebble.DefaultComparer. The comparer's name is part of it, because
// a filter holds prefixes: one written with another Split is never asked.
func PropertyName(comparer *pebble.Comparer) string {
	return "gravel.index." + comparer.EnsureDefaults().Name
}

// A table's property is one byte, its fingerprint's bits. No data block's
// filter is that short.
const tablePropertySize = 1

// TableBits returns the bits of fingerprint that a table's data blocks were
// written with, from the table's user properties. It is 0 if the table was
// written without index filters.
func TableBits(userProperties map[string]string, comparer *pebble.Comparer) int {
	// Pebble puts a byte of its own before the collector's.
	property, ok := userProperties[PropertyName(comparer)]
	if !ok || len(property) != 1+tablePropertySize {
		return 0
	}
	return int(property[1])
}
