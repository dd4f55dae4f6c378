package inspect

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// errReadOnly is what every write fails with. Pebble writes nothing to a store
// that is opened with ReadOnly; this makes sure.
var errReadOnly = errors.New("the store is open for reading only")

// readOnlyFS is the file system without its writes.
type readOnlyFS struct{ vfs.FS }

func (f readOnlyFS) Unwrap() vfs.FS { return f.FS }

func (readOnlyFS) Create(string, vfs.DiskWriteCategory) (vfs.File, error) { return nil, errReadOnly }

func (readOnlyFS) OpenReadWrite(string, vfs.DiskWriteCategory, ...vfs.OpenOption) (vfs.File, error) {
	return nil, errReadOnly
}

func (readOnlyFS) ReuseForWrite(_, _ string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, errReadOnly
}

func (readOnlyFS) Link(_, _ string) error             { return errReadOnly }
func (readOnlyFS) Rename(_, _ string) error           { return errReadOnly }
func (readOnlyFS) Remove(string) error                { return errReadOnly }
func (readOnlyFS) RemoveAll(string) error             { return errReadOnly }
func (readOnlyFS) MkdirAll(string, os.FileMode) error { return errReadOnly }

// Lock takes a shared lock, which a process that has the store open denies.
// Pebble's own would create or truncate the file. A store without one, such as
// a checkpoint, is open nowhere.
func (readOnlyFS) Lock(name string) (io.Closer, error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(nil), nil
	}
	if err != nil {
		return nil, err
	}
	if err := lockShared(file); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}
