// Package inspect looks into the filters of a Pebble store on disk, without
// writing to it.
package inspect

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
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
	s, err := open(dir)
	if err != nil {
		return nil, errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	return s, nil
}

func open(dir string) (*Store, error) {
	fs := readOnlyFS{vfs.Default}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no directory; name that of a Pebble store", dir)
	}
	desc, err := pebble.Peek(dir, fs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; this program knows formats up to %d", dir, err, pebble.FormatNewest)
	}
	if !desc.Exists {
		return nil, notAStore(dir)
	}
	options, err := optionsOf(fs, desc.OptionsFilename)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	options.FS = fs
	db, err := pebble.Open(dir, options)
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s does not open as a Pebble store: %w", dir, err)
	}
	return &Store{dir, db, options}, nil
}

var errLocked = errors.New("another process has the store open; make a copy with db.Checkpoint(directory), which takes links instead of space, and inspect that")

// notAStore names a store below the directory, if there is one.
func notAStore(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		below := vfs.Default.PathJoin(dir, e.Name())
		if desc, err := pebble.Peek(below, readOnlyFS{vfs.Default}); err == nil && desc.Exists {
			return fmt.Errorf("%s holds no Pebble store, but %s does", dir, below)
		}
	}
	return fmt.Errorf("%s holds no Pebble store: it has no manifest", dir)
}

// optionsOf returns the options that read a store, from its OPTIONS file.
func optionsOf(fs vfs.FS, name string) (*pebble.Options, error) {
	var stored pebble.Options
	if name != "" {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := stored.Parse(string(text), parseHooks); err != nil {
			return nil, err
		}
	}
	options := &pebble.Options{
		Comparer: stored.Comparer, Merger: stored.Merger,
		KeySchema: stored.KeySchema, KeySchemas: stored.KeySchemas,
		ReadOnly: true, DisableTableStats: true, Logger: silent{}, FS: fs,
	}
	// What is only in the log has no filter yet.
	options.Unsafe.AllowMissingWALDirs = true
	pebbleext.Apply(options, pebbleext.Plan{})
	options.EnsureDefaults()
	return options, nil
}

// parseHooks accept everything that does not matter for reading keys.
var parseHooks = &pebble.ParseHooks{
	NewCleaner: func(string) (pebble.Cleaner, error) { return pebble.DeleteCleaner{}, nil },
	NewComparer: func(name string) (*pebble.Comparer, error) {
		if name != cockroachkvs.Comparer.Name {
			return nil, fmt.Errorf("the comparer %q is unknown here; there are %q and %q",
				name, pebble.DefaultComparer.Name, cockroachkvs.Comparer.Name)
		}
		return &cockroachkvs.Comparer, nil
	},
	NewFilterPolicy: func(string) (pebble.FilterPolicy, error) { return pebble.NoFilterPolicy, nil },
	NewKeySchema: func(name string) (pebble.KeySchema, error) {
		if name != cockroachkvs.KeySchema.Name {
			return pebble.KeySchema{}, fmt.Errorf("the key schema %q is unknown here", name)
		}
		return cockroachkvs.KeySchema, nil
	},
	NewMerger: func(name string) (*pebble.Merger, error) {
		return &pebble.Merger{Name: name, Merge: pebble.DefaultMerger.Merge}, nil // no value is read
	},
	SkipUnknown: func(string, string) bool { return true },
}

// Close lets others open the store.
func (s *Store) Close() error { return s.db.Close() }

// Shape returns the store's shape, as levelplan.ReadShape does.
func (s *Store) Shape() (levelplan.Shape, error) {
	return levelplan.ReadShape(s.db, s.options.Comparer)
}

// silent drops Pebble's log; what matters comes back as an error.
type silent struct{}

func (silent) Infof(string, ...any)              {}
func (silent) Errorf(string, ...any)             {}
func (silent) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
