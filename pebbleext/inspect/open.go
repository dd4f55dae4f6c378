// Package inspect looks into the filters of a Pebble store on disk, without
// writing to it.
package inspect

import (
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Store is a store that is open for inspection. While it is, no process can
// open it for writing.
type Store struct {
	dir     string
	db      *pebble.DB
	options *pebble.Options
}

// Open opens the store in a directory and leaves every file as it is, the lock
// file included. The store must not be open elsewhere: inspect a checkpoint of
// a live one. It may have Pebble's own comparer or CockroachDB's, and any
// merger.
//
// An error tells in one line what is wrong with the directory.
func Open(dir string) (*Store, error) {
	desc, err := ondisk.Peek(dir, vfs.Default)
	if err != nil {
		return nil, err
	}
	stored, err := ondisk.Options(desc, vfs.Default, parseHooks())
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
	return &Store{dir, db, options}, nil
}

// parseHooks accept everything that does not matter for reading keys.
func parseHooks() *pebble.ParseHooks {
	hooks := ondisk.ParseHooks()
	hooks.NewMerger = func(name string) (*pebble.Merger, error) {
		return &pebble.Merger{Name: name, Merge: pebble.DefaultMerger.Merge}, nil // no value is read
	}
	hooks.NewCleaner = func(string) (pebble.Cleaner, error) { return pebble.DeleteCleaner{}, nil }
	hooks.SkipUnknown = func(string, string) bool { return true }
	return hooks
}

// Close lets others open the store.
func (s *Store) Close() error { return s.db.Close() }

// Shape returns the store's shape, as levelplan.ReadShape does.
func (s *Store) Shape() (levelplan.Shape, error) {
	return levelplan.ReadShape(s.db, s.options.Comparer)
}
