// Package ondisk reads the files of stores, and writes nothing.
package ondisk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Peek finds the store in a directory. It fails if there is none, and then
// names a directory below that has one.
func Peek(dir string, fs vfs.FS) (*pebble.DBDesc, error) {
	info, err := fs.Stat(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, shown{errors.Join(ErrNotStore, err), err.Error()}
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, As(ErrNotStore, "%s is no directory; name that of a Pebble store", dir)
	}
	desc, err := pebble.Peek(dir, fs)
	if err != nil && strings.Contains(err.Error(), "unknown format major version") {
		return nil, As(ErrRefused, "%v; this program knows formats up to %d", err, pebble.FormatNewest)
	}
	if err != nil || desc.Exists {
		return desc, err
	}
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		below := fs.PathJoin(dir, name)
		if desc, err := pebble.Peek(below, fs); err == nil && desc.Exists {
			return nil, As(ErrNotStore, "%s holds no Pebble store, but %s does", dir, below)
		}
	}
	return nil, As(ErrNotStore, "%s holds no Pebble store: it has no manifest", dir)
}

// optionsText returns the OPTIONS file of a store, "" if it has none.
func optionsText(desc *pebble.DBDesc, fs vfs.FS) (string, error) {
	if desc.OptionsFilename == "" {
		return "", nil
	}
	file, err := fs.Open(desc.OptionsFilename)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	if !utf8.Valid(text) || strings.ContainsRune(string(text), 0) {
		return "", fmt.Errorf("%s is damaged: it is no text", desc.OptionsFilename)
	}
	return string(text), nil
}

// longest is how much is told of what Pebble finds wrong with an OPTIONS file,
// as it may repeat all of a line.
const longest = 100

// Options parses the OPTIONS file of a store.
func Options(desc *pebble.DBDesc, fs vfs.FS, hooks *pebble.ParseHooks) (*pebble.Options, error) {
	text, err := optionsText(desc, fs)
	if err != nil {
		return nil, err
	}
	opts := &pebble.Options{}
	if err := opts.Parse(text, hooks); err != nil {
		return nil, fmt.Errorf("%s: %w", desc.OptionsFilename, shown{err, fmt.Sprintf("%.*s", longest, oneLine(err))})
	}
	if opts.Comparer != nil && opts.Comparer.Name == cockroachkvs.Comparer.Name {
		// OPTIONS files name no collectors. Tables may have the properties of
		// these, which a rewrite must not lose.
		opts.BlockPropertyCollectors = cockroachkvs.BlockPropertyCollectors
	}
	return opts, nil
}

// storedComparer returns the name of a store's comparer, "" if it is not found.
func storedComparer(dir string, fs vfs.FS) string {
	desc, err := Peek(dir, fs)
	if err != nil {
		return ""
	}
	hooks := ReadingHooks()
	hooks.NewComparer = func(name string) (*pebble.Comparer, error) { return &pebble.Comparer{Name: name}, nil }
	opts, err := Options(desc, fs, hooks)
	if err != nil || opts.Comparer == nil {
		return ""
	}
	return opts.Comparer.Name
}

// ParseHooks know the comparers and key schemas of Pebble and CockroachDB, and
// of mergers and cleaners only Pebble's. They know no filter policies.
func ParseHooks() *pebble.ParseHooks {
	return &pebble.ParseHooks{
		NewComparer: func(name string) (*pebble.Comparer, error) {
			if name != cockroachkvs.Comparer.Name {
				return nil, unknown("comparer", name)
			}
			return &cockroachkvs.Comparer, nil
		},
		NewKeySchema: func(name string) (pebble.KeySchema, error) {
			if name != cockroachkvs.KeySchema.Name {
				return pebble.KeySchema{}, unknown("key schema", name)
			}
			return cockroachkvs.KeySchema, nil
		},
		NewMerger:       func(name string) (*pebble.Merger, error) { return nil, unknown("merger", name) },
		NewCleaner:      func(name string) (pebble.Cleaner, error) { return nil, unknown("cleaner", name) },
		NewFilterPolicy: func(string) (pebble.FilterPolicy, error) { return pebble.NoFilterPolicy, nil },
	}
}

// ReadingHooks are ParseHooks that accept everything that does not matter for
// reading keys.
func ReadingHooks() *pebble.ParseHooks {
	hooks := ParseHooks()
	hooks.NewMerger = func(name string) (*pebble.Merger, error) {
		return &pebble.Merger{Name: name, Merge: pebble.DefaultMerger.Merge}, nil // no value is read
	}
	hooks.NewCleaner = func(string) (pebble.Cleaner, error) { return pebble.DeleteCleaner{}, nil }
	hooks.SkipUnknown = func(string, string) bool { return true }
	return hooks
}

func unknown(what, name string) error {
	return As(ErrUnknownComparer, "the %s %.30q is unknown here; use a program that has it", what, name)
}

// Open opens a store for reading, without its lock. Pebble checks the MANIFEST,
// and that the files it names are there.
func Open(dir string, opts *pebble.Options) (*pebble.DB, error) {
	opts = opts.Clone()
	opts.FS = readOnly{opts.FS}
	opts.ReadOnly = true
	opts.Lock = nil
	opts.DisableTableStats = true
	opts.EventListener = &pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}} // it comes back as an error
	opts.Logger, opts.LoggerAndTracer = silent{}, nil
	db, err := pebble.Open(dir, opts)
	if errors.Is(err, os.ErrPermission) {
		return nil, Named(dir, err)
	}
	if err != nil {
		err = fmt.Errorf("%s does not open as a Pebble store: %w", dir, err)
		return nil, oneLine(comparerError(dir, opts, err))
	}
	return db, nil
}

// silent drops Pebble's log; what matters comes back as an error.
type silent struct{}

func (silent) Infof(string, ...any)              {}
func (silent) Errorf(string, ...any)             {}
func (silent) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
