package pebblev1

import (
	"errors"
	"io"

	"github.com/cockroachdb/pebble"
)

// DB is a pebble.DB whose Get asks the filters of all levels. It has the other
// methods of a [Reader], too. It stands in where a program keeps a *pebble.DB
// and calls its Get in many places.
//
// Snapshots and indexed batches are Pebble's own, and their Get asks no filters
// of L6. A Reader over one does.
type DB struct {
	*pebble.DB
	*Reader
}

var _ pebble.Reader = (*DB)(nil)

// Open opens a store as pebble.Open does, with a filter policy for each level.
// It changes opts as [Apply] does.
func Open(dir string, opts *pebble.Options, levels [numLevels]pebble.FilterPolicy) (*DB, error) {
	if opts == nil {
		opts = &pebble.Options{}
	}
	setup := Apply(opts, levels)
	db, err := pebble.Open(dir, opts)
	if err != nil {
		return nil, err
	}
	reader, err := setup.NewReader(db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &DB{DB: db, Reader: reader}, nil
}

// Close closes the Reader and the store.
func (db *DB) Close() error { return errors.Join(db.Reader.Close(), db.DB.Close()) }

// Get is that of the Reader.
func (db *DB) Get(key []byte) (value []byte, closer io.Closer, err error) {
	return db.Reader.Get(key)
}
