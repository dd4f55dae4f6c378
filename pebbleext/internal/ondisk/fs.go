package ondisk

import (
	"errors"
	"io"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// errReadOnly is what every write fails with. Pebble writes nothing to a store
// that is opened with ReadOnly; this makes sure.
var errReadOnly = errors.New("the store is open for reading only")

// FS is a file system without its writes.
type FS struct{ vfs.FS }

func (f FS) Unwrap() vfs.FS { return f.FS }

func (FS) Create(string, vfs.DiskWriteCategory) (vfs.File, error) { return nil, errReadOnly }

func (FS) OpenReadWrite(string, vfs.DiskWriteCategory, ...vfs.OpenOption) (vfs.File, error) {
	return nil, errReadOnly
}

func (FS) ReuseForWrite(_, _ string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, errReadOnly
}

func (FS) Link(_, _ string) error             { return errReadOnly }
func (FS) Rename(_, _ string) error           { return errReadOnly }
func (FS) Remove(string) error                { return errReadOnly }
func (FS) RemoveAll(string) error             { return errReadOnly }
func (FS) MkdirAll(string, os.FileMode) error { return errReadOnly }

// Lock does nothing: the lock is for those that write. CheckClosed tells
// whether one is held.
func (FS) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }
