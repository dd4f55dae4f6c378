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
	reader *pebbleext.Reader
}

// Open is pebbleds.NewDatastore with the filters of a level plan. It sets them
// in opts, which stand for pebbleds.WithPebbleOpts.
func Open(path string, opts *pebble.Options, plan pebbleext.Plan, options ...pebbleds.Option) (*Datastore, error) {
	setup := pebbleext.Apply(opts, pebbleext.Options{Plan: plan})
	store, err := pebbleds.NewDatastore(path, append(options, pebbleds.WithPebbleOpts(opts))...)
	if err != nil {
		return nil, err
	}
	reader, err := setup.NewReader(store.DB)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &Datastore{store, reader}, nil
}

// Close implements io.Closer.
func (d *Datastore) Close() error { return errors.Join(d.reader.Close(), d.Datastore.Close()) }

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
	return d.reader.Has(key.Bytes())
}

func (d *Datastore) get(key ds.Key) ([]byte, io.Closer, error) {
	value, closer, err := d.reader.Get(key.Bytes())
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil, ds.ErrNotFound
	}
	if err != nil {
		return nil, nil, fmt.Errorf("pebble error during get: %w", err)
	}
	return value, closer, nil
}
