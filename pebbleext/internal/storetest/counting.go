package storetest

import (
	"errors"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// CountingFS counts reads of files by their names' suffix, and fails some.
type CountingFS struct {
	vfs.FS
	Suffix string
	Reads  atomic.Int64
	Bytes  atomic.Int64 // of these reads
	Fail   atomic.Int64 // how many reads to fail
}

// Unwrap implements vfs.FS.
func (fs *CountingFS) Unwrap() vfs.FS { return fs.FS }

// Open implements vfs.FS.
func (fs *CountingFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := fs.FS.Open(name, opts...)
	if err != nil || !strings.HasSuffix(name, fs.Suffix) {
		return file, err
	}
	return &countingFile{file, fs}, nil
}

type countingFile struct {
	vfs.File
	fs *CountingFS
}

// ErrRead is the error of reads that a CountingFS fails.
var ErrRead = errors.New("read fails")

func (f *countingFile) ReadAt(p []byte, off int64) (int, error) {
	f.fs.Reads.Add(1)
	f.fs.Bytes.Add(int64(len(p)))
	if f.fs.Fail.Add(-1) >= 0 {
		return 0, ErrRead
	}
	return f.File.ReadAt(p, off)
}
