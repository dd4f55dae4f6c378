package pebblev1

import "github.com/cockroachdb/pebble"

// ReaderOf returns a Reader of a store that was opened with opts after Apply,
// however many there are: tests compare them.
func ReaderOf(db *pebble.DB, opts *pebble.Options) *Reader {
	r, err := (&Setup{opts: opts}).NewReader(db)
	if err != nil {
		panic(err)
	}
	return r
}
