package pebbleext

import (
	"errors"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// DB is a pebble.DB whose Get is a [Reader]'s. It has the other methods of a
// Reader, too. It stands in where a program keeps a *pebble.DB and calls its Get
// in many places.
//
// Snapshots and indexed batches are Pebble's own, and so is their Get. For that
// of a Reader ask [Reader.Over].
type DB struct {
	*pebble.DB
	*Reader
}

var _ pebble.Reader = (*DB)(nil)

// Open opens a store as pebble.Open does, with the filters of a level plan, and
// a Reader with the options. It changes opts as [Apply] does. Filters in memory,
// of [WithResident], are the store's from then on; close them before the store.
// The error may be ErrLocked, ErrUnknownComparer or ErrRefused.
func Open(dir string, opts *pebble.Options, plan Plan, options ...ReaderOption) (*DB, error) {
	if opts == nil {
		opts = &pebble.Options{}
	}
	Apply(opts, plan)
	options = append([]ReaderOption{WithPrefixes(plan.Prefix)}, options...)
	filters := collectOptions(options).resident
	if filters != nil {
		filters.Apply(opts)
	}
	db, err := pebble.Open(dir, opts)
	if err != nil {
		return nil, ondisk.OpenError(dir, opts, err)
	}
	if filters != nil {
		if err := filters.Start(db, opts); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return &DB{DB: db, Reader: NewReader(db, opts.Comparer, append(slices.Clip(options), WithOptions(opts))...)}, nil
}

// Get is that of the Reader.
func (db *DB) Get(key []byte) (value []byte, closer io.Closer, err error) {
	return db.Reader.Get(key)
}
