package refilter

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// StoredOptions returns the options that the store in a directory was last
// opened with, as its OPTIONS file tells, for programs that refilter stores of
// others. It fails with [pebbleext.ErrNotStore], with
// [pebbleext.ErrUnknownComparer] if the store has a comparer, merger or key
// schema that is neither Pebble's nor CockroachDB's, or with
// [pebbleext.ErrRefused] if it has no such file or its write-ahead log is not
// found.
func StoredOptions(dir string) (*pebble.Options, error) {
	desc, err := ondisk.Peek(dir, vfs.Default)
	if err != nil {
		return nil, err
	}
	if desc.OptionsFilename == "" {
		return nil, ondisk.As(ondisk.ErrRefused, "%s has no OPTIONS file; call refilter.Run in the program that knows its options", dir)
	}
	opts, err := ondisk.Options(desc, vfs.Default, ondisk.ParseHooks())
	if err != nil {
		return nil, err
	}
	// Open raises a store to the version in its options, never lowers it.
	opts.FormatMajorVersion = desc.FormatMajorVersion
	return opts, checkLogs(opts)
}

// inStore begins the path of a directory within the store.
const inStore = "{store_path}"

// checkLogs fails if the store's write-ahead logs are not found here: those in
// a relative path are relative to the directory of the program that wrote them.
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
			return ondisk.As(ondisk.ErrRefused, "its write-ahead log is in the relative path %.80q; call refilter.Run in its program", dir)
		}
		if _, err := os.Stat(dir); err != nil {
			return ondisk.As(ondisk.ErrRefused, "its write-ahead log is missing: %v", err)
		}
	}
	return nil
}
