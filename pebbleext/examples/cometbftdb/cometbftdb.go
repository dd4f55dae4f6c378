// Package cometbftdb is cometbft-db's Pebble backend with Gravel's filters.
package cometbftdb

import (
	"errors"

	"github.com/cockroachdb/pebble"
	cometbft "github.com/cometbft/cometbft-db"

	filters "github.com/gravelkv/gravel/filterpolicy/pebblev1"
	"github.com/gravelkv/gravel/pebbleext/pebblev1"
)

// DB is a cometbft-db PebbleDB whose lookups ask the filters of all levels.
type DB struct {
	*cometbft.PebbleDB
	reader *pebblev1.Reader
}

// Open is cometbft.NewPebbleDBWithOpts with filters in all levels. It sets them
// in opts.
func Open(name, dir string, opts *pebble.Options) (*DB, error) {
	policy, err := filters.Parse("ribbon:10")
	if err != nil {
		return nil, err
	}
	setup := pebblev1.Apply(opts, pebblev1.Uniform(policy))
	db, err := cometbft.NewPebbleDBWithOpts(name, dir, opts)
	if err != nil {
		return nil, err
	}
	reader, err := setup.NewReader(db.DB())
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &DB{db, reader}, nil
}

// Close implements cometbft.DB.
func (db *DB) Close() error { return errors.Join(db.reader.Close(), db.PebbleDB.Close()) }

// Get implements cometbft.DB.
func (db *DB) Get(key []byte) ([]byte, error) {
	if len(key) == 0 {
		return db.PebbleDB.Get(key) // its error
	}
	value, closer, err := db.reader.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return append([]byte{}, value...), closer.Close() // not nil if empty
}

// Has implements cometbft.DB.
func (db *DB) Has(key []byte) (bool, error) {
	if len(key) == 0 {
		return db.PebbleDB.Has(key) // its error
	}
	return db.reader.Has(key)
}
