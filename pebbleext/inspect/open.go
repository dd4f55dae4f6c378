// Package inspect tells which filters a Pebble store on disk has, and what they
// let pass. It writes nothing, and the store may be open.
//
//	store, err := inspect.Open(dir)
//	…
//	filters, err := store.Filters(ctx)
//	for _, row := range filters.Rows {
//		fmt.Println(row.Level, row.Family, row.BitsPerKey(), row.Bytes)
//	}
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

// Store is a store that is open for inspection.
type Store struct {
	// Live says that the store was open already, in this or another process.
	// What is inspected is then a checkpoint of it, without what is only in its
	// write-ahead log.
	Live bool

	dir     string // of the checkpoint if Live
	db      *pebble.DB
	options *pebble.Options
}

// Open opens the store in a directory. Of a store that is open already, in this
// or another process, it takes a checkpoint by links, see [checkpoint.Take],
// which Close removes. Otherwise it reads the store in place, changes no file
// and holds no lock. Any program can then open the store once Open has
// returned; if compactions remove tables before they are inspected, reading
// these fails.
//
// The store may have Pebble's own comparer or CockroachDB's, and any merger. An
// error is one line; it may be [pebbleext.ErrNotStore] or
// [pebbleext.ErrUnknownComparer].
func Open(dir string) (*Store, error) {
	if _, err := ondisk.Peek(dir, vfs.Default); err != nil {
		return nil, err
	}
	err := ondisk.CheckClosed(dir, vfs.Default)
	if errors.Is(err, ondisk.ErrLocked) {
		return openLive(dir)
	}
	if err != nil {
		return nil, err
	}
	return open(dir)
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
	options, err := checkpoint.Options(dir)
	if err != nil {
		return nil, err
	}
	options.WALDir, options.WALFailover = "", nil // what is only in the log has no filter yet
	pebbleext.Apply(options, pebbleext.Plan{})
	options.EnsureDefaults()
	db, err := ondisk.Open(dir, options)
	if err != nil {
		return nil, err
	}
	return &Store{dir: dir, db: db, options: options}, nil
}

// Close closes the store, and removes the checkpoint if it was Live.
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
