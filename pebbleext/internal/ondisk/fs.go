package ondisk

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

// ErrLocked is that another process has a store open.
var ErrLocked = errors.New("another process has the store open; make a copy with db.Checkpoint(directory), which takes links instead of space, and use that")

// Lock takes a shared lock, which a process that has the store open denies.
// Pebble's own would create or truncate the file. A store without one, such as
// a checkpoint, is open nowhere.
func (f FS) Lock(name string) (io.Closer, error) {
	file, err := f.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(nil), nil
	}
	if err != nil {
		return nil, err
	}
	if fd := file.Fd(); fd != vfs.InvalidFd {
		if err := lockShared(fd); err != nil {
			_ = file.Close()
			return nil, err
		}
	}
	return file, nil
}
