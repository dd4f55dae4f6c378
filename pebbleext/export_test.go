package pebbleext

import (
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/gravelkv/gravel/pebbleext/resident"
)

// ReaderWith returns a Reader of a store that was opened with opts, however
// many there are: tests compare them. Filters in memory were started.
func ReaderWith(db *pebble.DB, opts *pebble.Options, options Options, filters ...*resident.Filters) *Reader {
	s := &Setup{opts: opts, options: options}
	r, err := s.newReader(db, append(filters, nil)[0])
	if err != nil {
		panic(err)
	}
	return r
}

// ReaderOf is ReaderWith for a store without object storage that was opened with
// a comparer.
func ReaderOf(db *pebble.DB, comparer *pebble.Comparer, options Options, filters ...*resident.Filters) *Reader {
	opts := &pebble.Options{Comparer: comparer}
	if comparer != nil && comparer.Name == cockroachkvs.Comparer.Name {
		opts.KeySchema = cockroachkvs.KeySchema.Name
		opts.KeySchemas = sstable.MakeKeySchemas(&cockroachkvs.KeySchema)
	}
	applyPolicies(opts, Plan{})
	return ReaderWith(db, opts, options, filters...)
}
