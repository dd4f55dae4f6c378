//go:build !linux

package directio

import (
	"errors"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// New returns the file system as it is.
func New(inner vfs.FS) vfs.FS { return inner }

// Supported returns an error: only Linux has O_DIRECT.
func Supported(string) error { return errors.New("reads past the page cache need Linux") }
