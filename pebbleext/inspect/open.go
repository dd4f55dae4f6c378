// Package inspect looks into the filters of a Pebble store on disk, without
// writing to it.
package inspect

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/checkpoint"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Store is a store that is open for inspection. Unless it is Live, no process
// can open it for writing meanwhile.
type Store struct {
	// Live says that another process has the store open. What is inspected is
	// then a checkpoint of it, without what is only in its write-ahead log.
	Live bool

	dir     string // of the checkpoint if Live
	db      *pebble.DB
	options *pebble.Options
}

// Open opens the store in a directory and leaves every file as it is, the lock
// file included. It may have Pebble's own comparer or CockroachDB's, and any
// merger. Of a store that another process has open it takes a checkpoint by
// links, see [checkpoint.Take], which Close removes.
//
// An error tells in one line what is wrong with the directory.
func Open(dir string) (*Store, error) {
	s, err := open(dir)
	if errors.Is(err, ondisk.ErrLocked) {
		return openLive(dir)
	}
	return s, err
}

func openLive(dir string) (s *Store, err error) {
	temporary, err := os.MkdirTemp(checkpoint.Place(dir), "checkpoint-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temporary))
		}
	}()
	view := filepath.Join(temporary, "store")
	if _, err := checkpoint.Take(dir, view); err != nil {
		return nil, err
	}
	if s, err = open(view); err != nil {
		return nil, err
	}
	s.Live = true
	return s, nil
}

func open(dir string) (*Store, error) {
	desc, err := ondisk.Peek(dir, vfs.Default)
	if err != nil {
		return nil, err
	}
	stored, err := ondisk.Options(desc, vfs.Default, ondisk.ReadingHooks())
	if err != nil {
		return nil, err
	}
	options := &pebble.Options{
		Comparer: stored.Comparer, Merger: stored.Merger,
		KeySchema: stored.KeySchema, KeySchemas: stored.KeySchemas,
		FS: vfs.Default,
	}
	// What is only in the log has no filter yet.
	options.Unsafe.AllowMissingWALDirs = true
	pebbleext.Apply(options, pebbleext.Plan{})
	options.EnsureDefaults()
	db, err := ondisk.Open(dir, options)
	if err != nil {
		return nil, err
	}
	return &Store{dir: dir, db: db, options: options}, nil
}

// Close lets others open the store, or removes the checkpoint.
func (s *Store) Close() error {
	err := s.db.Close()
	if s.Live {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(s.dir)))
	}
	return err
}

// Shape returns the store's shape, as levelplan.ReadShape does.
func (s *Store) Shape() (levelplan.Shape, error) {
	return levelplan.ReadShape(s.db, s.options.Comparer)
}
