// Package markers makes Pebble's change of its MANIFEST safe on more file
// systems.
package markers

import (
	"errors"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// FS is a file system for Pebble 2.1.7. The name of a marker file tells which
// MANIFEST is current. To change it Pebble creates the MANIFEST, creates a
// marker, removes the marker before, and syncs the directory only then. That is
// safe where a crash keeps all changes of a directory that came before the last
// one it keeps, as with journals. Where it may keep a change and lose an earlier
// one, a store is left without its MANIFEST or marker. FS syncs the directory
// before each change of a marker.
type FS struct{ vfs.FS }

// Unwrap implements vfs.FS.
func (f FS) Unwrap() vfs.FS { return f.FS }

// Create implements vfs.FS.
func (f FS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := f.sync(name); err != nil {
		return nil, err
	}
	return f.FS.Create(name, category)
}

// Remove implements vfs.FS.
func (f FS) Remove(name string) error {
	if err := f.sync(name); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

// sync syncs the directory of a marker.
func (f FS) sync(name string) error {
	if !strings.HasPrefix(f.PathBase(name), "marker.") {
		return nil
	}
	dir, err := f.OpenDir(f.PathDir(name))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
