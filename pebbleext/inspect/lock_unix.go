//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris

package inspect

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lockShared fails with errLocked if another process holds the lock that
// pebble.Open takes.
func lockShared(file *os.File) error {
	lock := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart}
	err := unix.FcntlFlock(file.Fd(), unix.F_SETLK, &lock)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EAGAIN) {
		return errLocked
	}
	return err
}
