package ondisk

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// CheckClosed fails with ErrLocked if this or another process has the store in
// a directory open. It changes nothing and holds no lock, so the store can be
// opened as soon as it returns. It opens and closes the lock file of a store
// that it takes for closed: this process must not open the store at the same
// moment, or it may lose its lock.
func CheckClosed(dir string, files vfs.FS) error {
	name := files.PathJoin(dir, "LOCK")
	info, err := files.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a checkpoint, which is open nowhere
	}
	if err != nil {
		return err
	}
	locked := openHere(info)
	if !locked {
		if locked, err = lockedElsewhere(name, files); err != nil {
			return err
		}
	}
	if locked {
		return fmt.Errorf("%s: %w; close it there first", dir, ErrLocked)
	}
	return nil
}

func lockedElsewhere(name string, files vfs.FS) (locked bool, err error) {
	file, err := files.Open(name)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if fd := file.Fd(); fd != vfs.InvalidFd {
		return hasLock(fd)
	}
	lock, err := files.Lock(name) // in memory, where this changes nothing
	if err == nil {
		return false, lock.Close()
	}
	return errors.Is(err, syscall.EAGAIN), nil
}
