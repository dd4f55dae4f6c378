package pebbleext

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/filterpolicy"
)

// CountQueries makes stores that are opened with opts count what their table
// filters answer, by level and family, and returns the counts. Index filters are
// counted by a Reader with [WithCounter].
func CountQueries(opts *pebble.Options) *filterpolicy.Counter {
	counter := filterpolicy.NewCounter()
	counter.CountIn(opts)
	return counter
}
