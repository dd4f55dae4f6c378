//go:build !linux

package diskio

import (
	"errors"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// NewDirectFS returns the file system as it is.
func NewDirectFS(inner vfs.FS) vfs.FS { return inner }

// CheckDirect returns an error: only Linux has O_DIRECT.
func CheckDirect(string) error { return errors.New("reads past the page cache need Linux") }
