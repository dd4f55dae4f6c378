// Package kubo is Kubo's datastore, go-ds-pebble, with Gravel's filters.
package kubo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"
	ds "github.com/ipfs/go-datastore"
	pebbleds "github.com/ipfs/go-ds-pebble"

	"github.com/gravelkv/gravel/pebbleext"
)

// Datastore is a go-ds-pebble Datastore whose lookups ask the filters of all
// levels.
type Datastore struct {
	*pebbleds.Datastore
	db *pebbleext.DB
}

// Open is pebbleds.NewDatastore on a store with Gravel's filters. The size of
// the block cache is that of opts, where DisableWAL must not be set.
func Open(path string, opts *pebble.Options, options ...pebbleds.Option) (*Datastore, error) {
	db, err := pebbleext.Open(path, opts, pebbleext.Options{})
	if err != nil {
		return nil, err
	}
	store, err := pebbleds.NewDatastore(path, append(options, pebbleds.WithPebbleDB(db.DB))...)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Datastore{store, db}, nil
}

// Close implements io.Closer.
func (d *Datastore) Close() error { return errors.Join(d.db.Reader.Close(), d.Datastore.Close()) }

// Get implements ds.Read.
func (d *Datastore) Get(_ context.Context, key ds.Key) ([]byte, error) {
	value, closer, err := d.get(key)
	if err != nil {
		return nil, err
	}
	return bytes.Clone(value), closer.Close()
}

// GetSize implements ds.Read.
func (d *Datastore) GetSize(_ context.Context, key ds.Key) (int, error) {
	value, closer, err := d.get(key)
	if err != nil {
		return -1, err
	}
	return len(value), closer.Close()
}

// Has implements ds.Read.
func (d *Datastore) Has(_ context.Context, key ds.Key) (bool, error) {
	return d.db.Has(key.Bytes())
}

func (d *Datastore) get(key ds.Key) ([]byte, io.Closer, error) {
	value, closer, err := d.db.Get(key.Bytes())
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil, ds.ErrNotFound
	}
	if err != nil {
		return nil, nil, fmt.Errorf("pebble error during get: %w", err)
	}
	return value, closer, nil
}
