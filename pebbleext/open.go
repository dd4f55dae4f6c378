package pebbleext

import (
	"cmp"
	"errors"
	"io"

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

// Open opens a store as pebble.Open does, with filters and a Reader. It changes
// opts as [Apply] does; they may be nil. The error may be ErrLocked,
// ErrUnknownComparer or ErrRefused.
func Open(dir string, opts *pebble.Options, options Options) (*DB, error) {
	if opts == nil {
		opts = &pebble.Options{}
	}
	if opts.Cache == nil && options.FilterMemory == 0 {
		opts.Cache = pebble.NewCache(cmp.Or(opts.CacheSize, defaultCacheSize))
		defer func(made *pebble.Cache) {
			opts.Cache = nil // the store and its filters have it
			made.Unref()
		}(opts.Cache)
	}
	setup := Apply(opts, options)
	db, err := pebble.Open(dir, opts)
	if err != nil {
		return nil, errors.Join(ondisk.OpenError(dir, opts, err), setup.close())
	}
	reader, err := setup.NewReader(db)
	if err != nil {
		return nil, errors.Join(err, setup.close(), db.Close())
	}
	return &DB{DB: db, Reader: reader}, nil
}

// defaultCacheSize is Pebble's.
const defaultCacheSize = 8 << 20

// Get is that of the Reader.
func (db *DB) Get(key []byte) (value []byte, closer io.Closer, err error) {
	return db.Reader.Get(key)
}

// Close closes the Reader and the store.
func (db *DB) Close() error { return errors.Join(db.Reader.Close(), db.DB.Close()) }
