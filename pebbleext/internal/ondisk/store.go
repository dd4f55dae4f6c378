// Package ondisk reads stores that no process has open, and writes nothing.
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
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no directory; name that of a Pebble store", dir)
	}
	desc, err := pebble.Peek(dir, fs)
	if err != nil && strings.Contains(err.Error(), "unknown format major version") {
		return nil, fmt.Errorf("%w; this program knows formats up to %d", err, pebble.FormatNewest)
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
			return nil, fmt.Errorf("%s holds no Pebble store, but %s does", dir, below)
		}
	}
	return nil, fmt.Errorf("%s holds no Pebble store, it has no manifest: %w", dir, pebble.ErrDBDoesNotExist)
}

// OptionsText returns the OPTIONS file of a store, "" if it has none.
func OptionsText(desc *pebble.DBDesc, fs vfs.FS) (string, error) {
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
	text, err := OptionsText(desc, fs)
	if err != nil {
		return nil, err
	}
	opts := &pebble.Options{}
	if err := opts.Parse(text, hooks); err != nil {
		return nil, fmt.Errorf("%s: %w", desc.OptionsFilename, shown{err, fmt.Sprintf("%.*s", longest, OneLine(err))})
	}
	if opts.Comparer != nil && opts.Comparer.Name == cockroachkvs.Comparer.Name {
		// OPTIONS files name no collectors. Tables may have the properties of
		// these, which a rewrite must not lose.
		opts.BlockPropertyCollectors = cockroachkvs.BlockPropertyCollectors
	}
	return opts, nil
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
	return fmt.Errorf("the %s %.30q is unknown here; use a program that has it", what, name)
}

// Open opens a store, of which the options may hold the lock, for reading.
// Pebble checks the MANIFEST, and that the files it names are there.
func Open(dir string, opts *pebble.Options) (*pebble.DB, error) {
	opts = opts.Clone()
	opts.FS = FS{opts.FS}
	opts.ReadOnly = true
	opts.DisableTableStats = true
	opts.EventListener = &pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}} // it comes back as an error
	opts.Logger, opts.LoggerAndTracer = silent{}, nil
	db, err := pebble.Open(dir, opts)
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, ErrLocked), errors.Is(err, os.ErrPermission):
		return nil, OneLine(fmt.Errorf("%s: %w", dir, err))
	default:
		return nil, OneLine(fmt.Errorf("%s does not open as a Pebble store: %w", dir, err))
	}
}

// silent drops Pebble's log; what matters comes back as an error.
type silent struct{}

func (silent) Infof(string, ...any)              {}
func (silent) Errorf(string, ...any)             {}
func (silent) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// OneLine returns an error whose text is one line.
func OneLine(err error) error {
	if err == nil {
		return nil
	}
	return shown{err, strings.Join(strings.Fields(err.Error()), " ")}
}

// shown is an error with another text.
type shown struct {
	error
	text string
}

func (e shown) Error() string { return e.text }
func (e shown) Unwrap() error { return e.error }
