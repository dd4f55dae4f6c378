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

// readOnly is a file system without its writes.
type readOnly struct{ vfs.FS }

func (f readOnly) Unwrap() vfs.FS { return f.FS }

func (readOnly) Create(string, vfs.DiskWriteCategory) (vfs.File, error) { return nil, errReadOnly }

func (readOnly) OpenReadWrite(string, vfs.DiskWriteCategory, ...vfs.OpenOption) (vfs.File, error) {
	return nil, errReadOnly
}

func (readOnly) ReuseForWrite(_, _ string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, errReadOnly
}

func (readOnly) Link(_, _ string) error             { return errReadOnly }
func (readOnly) Rename(_, _ string) error           { return errReadOnly }
func (readOnly) Remove(string) error                { return errReadOnly }
func (readOnly) RemoveAll(string) error             { return errReadOnly }
func (readOnly) MkdirAll(string, os.FileMode) error { return errReadOnly }

// Lock does nothing: the lock is for those that write. CheckClosed tells
// whether one is held.
func (readOnly) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }
