//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris

package ondisk

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"
)

// lockShared fails with ErrLocked if another process holds the lock that
// pebble.Open takes.
func lockShared(fd uintptr) error {
	lock := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart}
	err := unix.FcntlFlock(fd, unix.F_SETLK, &lock)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EAGAIN) {
		return ErrLocked
	}
	return err
}
