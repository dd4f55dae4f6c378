package indexfilter

import (
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// PropertyName returns the name of the block property in stores of a comparer;
// nil means pebble.DefaultComparer. The comparer's name is part of it, because
// a filter holds prefixes: one written with another Split is never asked.
func PropertyName(comparer *pebble.Comparer) string {
	return "gravel.index." + comparer.EnsureDefaults().Name
}

// RangePropertyName returns the name of the block property of range filters in
// stores of a comparer.
func RangePropertyName(comparer *pebble.Comparer) string {
	return "gravel.range." + comparer.EnsureDefaults().Name
}

// prefixProperty begins the names of properties of prefix filters.
const prefixProperty = "gravel.prefix."

// PrefixPropertyName returns the name of the block property of prefix filters.
func PrefixPropertyName(e Extractor) string { return prefixProperty + e.String() }

// IsPropertyName reports whether a property is that of index or range filters
// in stores of the comparer, or of prefix filters of any extractor.
func IsPropertyName(name string, comparer *pebble.Comparer) bool {
	return name == PropertyName(comparer) || name == RangePropertyName(comparer) || strings.HasPrefix(name, prefixProperty)
}

// TableBits returns the bits of fingerprint that a table's data blocks were
// written with, from the table's user properties. It is 0 if the table was
// written without index filters.
func TableBits(userProperties map[string]string, comparer *pebble.Comparer) int {
	return tableBits(userProperties[PropertyName(comparer)])
}

// TablePrefixes returns the name of the extractor of a table's prefix filters,
// from the table's user properties. It is empty if the table was written
// without.
func TablePrefixes(userProperties map[string]string) string {
	for name, property := range userProperties {
		if extractor, ok := strings.CutPrefix(name, prefixProperty); ok && tableBits(property) > 0 {
			return extractor
		}
	}
	return ""
}

// TableRangeBits is TableBits for range filters.
func TableRangeBits(userProperties map[string]string, comparer *pebble.Comparer) int {
	return tableBits(userProperties[RangePropertyName(comparer)])
}

// tableBits reads a table's property: a byte of Pebble's, and the bits. No data
// block's filter is that short.
func tableBits(property string) int {
	if len(property) != 2 {
		return 0
	}
	return int(property[1])
}
