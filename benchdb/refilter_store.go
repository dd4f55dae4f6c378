package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// storeOptions returns the options that a store's OPTIONS file says it was
// opened with last. It writes nothing.
func storeOptions(dir string, stderr io.Writer) (*pebble.Options, error) {
	desc, err := pebble.Peek(dir, vfs.Default)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no directory %s", dir)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read as a Pebble store: %w", dir, err)
	case !desc.Exists || desc.OptionsFilename == "":
		return nil, fmt.Errorf("%s is not a Pebble store; name the directory with its MANIFEST and OPTIONS files", dir)
	}
	text, err := os.ReadFile(desc.OptionsFilename)
	if err != nil {
		return nil, err
	}
	opts := &pebble.Options{Logger: fatalLogger{stderr}}
	if err := opts.Parse(string(text), &parseHooks); err != nil {
		return nil, fmt.Errorf("%s: %w", desc.OptionsFilename, err)
	}
	// Open raises a store to the version in its options, never lowers it.
	opts.FormatMajorVersion = desc.FormatMajorVersion
	return opts, checkLogs(opts)
}

// parseHooks refuse what a rewrite of tables would need and benchdb has not.
// Filter policies are the plan's.
var parseHooks = pebble.ParseHooks{
	NewComparer:     func(name string) (*pebble.Comparer, error) { return nil, unknown("comparer", name) },
	NewMerger:       func(name string) (*pebble.Merger, error) { return nil, unknown("merger", name) },
	NewKeySchema:    func(name string) (pebble.KeySchema, error) { return pebble.KeySchema{}, unknown("key schema", name) },
	NewCleaner:      func(name string) (pebble.Cleaner, error) { return nil, unknown("cleaner", name) },
	NewFilterPolicy: func(string) (pebble.FilterPolicy, error) { return pebble.NoFilterPolicy, nil },
}

func unknown(what, name string) error {
	return fmt.Errorf("benchdb does not know the %s %q; call refilter.Run in a program that does", what, name)
}

// inStore begins the path of a directory within the store.
const inStore = "{store_path}"

// checkLogs fails if benchdb may miss the store's write-ahead logs: those in a
// relative path are relative to the directory of the program that wrote them.
// Without them Pebble would take the store for one that was closed.
func checkLogs(opts *pebble.Options) error {
	dirs := []string{opts.WALDir}
	if opts.WALFailover != nil {
		dirs = append(dirs, opts.WALFailover.Secondary.Dirname)
	}
	for _, dir := range dirs {
		if dir == "" || strings.HasPrefix(dir, inStore) {
			continue
		}
		if !filepath.IsAbs(dir) {
			return fmt.Errorf("its write-ahead log is in the relative path %q; call refilter.Run in its program", dir)
		}
		if _, err := os.Stat(dir); err != nil {
			return fmt.Errorf("its write-ahead log is missing: %w", err)
		}
	}
	return nil
}

// fatalLogger is silent until Pebble cannot go on, which is when it cannot
// write a MANIFEST or log. The store can be opened again.
type fatalLogger struct{ stderr io.Writer }

func (fatalLogger) Infof(string, ...any)  {}
func (fatalLogger) Errorf(string, ...any) {}

func (l fatalLogger) Fatalf(format string, args ...any) {
	fmt.Fprintf(l.stderr, "benchdb: "+format+"\n", args...)
	os.Exit(exitFailure)
}
