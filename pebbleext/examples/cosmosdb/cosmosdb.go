// Package cosmosdb is a database of cosmos-db on Pebble with Gravel's filters.
// That of cosmos-db itself takes no options of Pebble; this one is
// cometbft-db's, which does, and keeps a store under the same name.
package cosmosdb

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble"
	cometbft "github.com/cometbft/cometbft-db"
	cosmos "github.com/cosmos/cosmos-db"

	"github.com/gravelkv/gravel/pebbleext/examples/cometbftdb"
)

// DB is a cosmos.DB whose lookups ask the filters of all levels.
type DB struct{ *cometbftdb.DB }

// Open opens the store that cosmos.NewPebbleDB keeps under the same name.
func Open(name, dir string, opts *pebble.Options) (*DB, error) {
	db, err := cometbftdb.Open(name, dir, opts)
	if err != nil {
		return nil, err
	}
	return &DB{db}, nil
}

// Iterator implements cosmos.DB.
func (db *DB) Iterator(start, end []byte) (cosmos.Iterator, error) {
	iter, err := db.DB.Iterator(start, end)
	return copying{iter}, err
}

// ReverseIterator implements cosmos.DB.
func (db *DB) ReverseIterator(start, end []byte) (cosmos.Iterator, error) {
	iter, err := db.DB.ReverseIterator(start, end)
	return copying{iter}, err
}

// copying is an iterator whose keys and values are the caller's, as
// cosmos-db's.
type copying struct{ cometbft.Iterator }

func (i copying) Key() []byte   { return bytes.Clone(i.Iterator.Key()) }
func (i copying) Value() []byte { return bytes.Clone(i.Iterator.Value()) }

// NewBatch implements cosmos.DB.
func (db *DB) NewBatch() cosmos.Batch { return &batch{Batch: db.DB.NewBatch()} }

// NewBatchWithSize implements cosmos.DB.
func (db *DB) NewBatchWithSize(int) cosmos.Batch { return db.NewBatch() }

// batch knows the size of its keys and values, until it is written or closed.
type batch struct {
	cometbft.Batch
	size int
	done bool
}

func (b *batch) Set(key, value []byte) error {
	b.size += len(key) + len(value)
	return b.Batch.Set(key, value)
}

func (b *batch) Delete(key []byte) error {
	b.size += len(key)
	return b.Batch.Delete(key)
}

func (b *batch) Write() error     { b.done = true; return b.Batch.Write() }
func (b *batch) WriteSync() error { b.done = true; return b.Batch.WriteSync() }
func (b *batch) Close() error     { b.done = true; return b.Batch.Close() }

func (b *batch) GetByteSize() (int, error) {
	if b.done {
		return 0, errors.New("batch has been written or closed")
	}
	return b.size, nil
}
