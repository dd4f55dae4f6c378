//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris

package ondisk

import (
	"io"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// openHere reports whether this process has a file open, as far as it can know.
// It does not open the file to find out: closing any descriptor of a file drops
// all POSIX locks that the process has on it.
func openHere(file os.FileInfo) bool {
	want, ok := file.Sys().(*syscall.Stat_t)
	if !ok {
		return false // in memory
	}
	descriptors, err := os.ReadDir("/dev/fd")
	if err != nil {
		return false
	}
	for _, d := range descriptors {
		var have syscall.Stat_t
		fd, err := strconv.Atoi(d.Name())
		if err == nil && syscall.Fstat(fd, &have) == nil && have.Dev == want.Dev && have.Ino == want.Ino {
			return true
		}
	}
	return false
}

// hasLock reports whether another process holds the lock that pebble.Open
// takes.
func hasLock(fd uintptr) (bool, error) {
	lock := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart}
	err := unix.FcntlFlock(fd, unix.F_GETLK, &lock)
	return err == nil && lock.Type != unix.F_UNLCK, err
}
