// Package juno is the store of juno, a Starknet node, with Gravel's filters.
package juno

import (
	"errors"
	"sync"

	"github.com/NethermindEth/juno/db"
	"github.com/NethermindEth/juno/db/pebblev2"
	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext"
)

// Store is a pebblev2.DB whose Get and Has ask the filters of all levels.
type Store struct {
	*pebblev2.DB
	closing sync.RWMutex
	reader  *pebbleext.Reader // nil once closed
}

// Open is pebblev2.New with Gravel's filters.
func Open(path string, options ...pebblev2.Option) (*Store, error) {
	var setup *pebbleext.Setup
	filters := func(opts *pebble.Options) error {
		setup = pebbleext.Apply(opts, pebbleext.Options{})
		return nil
	}
	store, err := pebblev2.New(path, append(options, filters)...)
	if err != nil {
		return nil, err
	}
	reader, err := setup.NewReader(store.Impl().(*pebble.DB))
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &Store{DB: store.(*pebblev2.DB), reader: reader}, nil
}

// Get implements db.KeyValueReader.
func (s *Store) Get(key []byte, found func(value []byte) error) error {
	s.closing.RLock()
	defer s.closing.RUnlock()
	if s.reader == nil {
		return pebble.ErrClosed
	}
	value, closer, err := s.reader.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return db.ErrKeyNotFound
	}
	if err != nil {
		return err
	}
	return errors.Join(found(value), closer.Close())
}

// Has implements db.KeyValueReader.
func (s *Store) Has(key []byte) (bool, error) {
	s.closing.RLock()
	defer s.closing.RUnlock()
	if s.reader == nil {
		return false, pebble.ErrClosed
	}
	return s.reader.Has(key)
}

// Close implements io.Closer.
func (s *Store) Close() error {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.reader == nil {
		return s.DB.Close()
	}
	err := s.reader.Close()
	s.reader = nil
	return errors.Join(err, s.DB.Close())
}

// WithListener implements db.Listener.
func (s *Store) WithListener(listener db.EventListener) db.KeyValueStore {
	s.DB.WithListener(listener)
	return s
}
