package diskio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sys/unix"
)

// alignment suits O_DIRECT on devices with blocks of up to 4 KiB.
const alignment = 4096

type directFS struct{ vfs.FS }

// NewDirectFS wraps a file system so that .sst files are read with O_DIRECT.
func NewDirectFS(inner vfs.FS) vfs.FS { return directFS{inner} }

// CheckDirect returns an error unless files in the directory can be read with
// O_DIRECT. It makes and removes a temporary file there.
func CheckDirect(dir string) error {
	probe, err := os.CreateTemp(dir, ".direct-*")
	if err != nil {
		return err
	}
	defer os.Remove(probe.Name())
	defer probe.Close()
	if _, err := probe.Write(make([]byte, alignment)); err != nil {
		return err
	}
	direct, err := openDirect(probe.Name())
	if err != nil {
		return fmt.Errorf("the file system of %s does not allow O_DIRECT: %w", dir, err)
	}
	defer direct.Close()
	if _, err := (&directFile{direct: direct}).ReadAt(make([]byte, 10), 3); err != nil {
		return fmt.Errorf("the file system of %s does not read with O_DIRECT: %w", dir, err)
	}
	return nil
}

func openDirect(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
}

// Unwrap implements vfs.FS.
func (f directFS) Unwrap() vfs.FS { return f.FS }

// Open implements vfs.FS.
func (f directFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	inner, err := f.FS.Open(name, opts...)
	if err != nil || !strings.HasSuffix(filepath.Base(name), ".sst") {
		return inner, err
	}
	direct, err := openDirect(name)
	if err != nil {
		_ = inner.Close()
		return nil, err
	}
	return &directFile{inner, direct}, nil
}

// directFile reads through its second, direct descriptor.
type directFile struct {
	vfs.File
	direct *os.File
}

// Close implements vfs.File.
func (f *directFile) Close() error {
	return errors.Join(f.direct.Close(), f.File.Close())
}

// Prefetch does nothing: it would fill the page cache.
func (f *directFile) Prefetch(int64, int64) error { return nil }

// Fd hides the descriptor, so that nobody reads ahead on it.
func (f *directFile) Fd() uintptr { return vfs.InvalidFd }

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// ReadAt reads the aligned blocks around the range and copies the range out.
func (f *directFile) ReadAt(p []byte, offset int64) (int, error) {
	start := offset &^ (alignment - 1)
	end := (offset + int64(len(p)) + alignment - 1) &^ (alignment - 1)

	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	blocks := aligned(buffer, int(end-start))
	n, err := f.direct.ReadAt(blocks, start)
	if err != nil && err != io.EOF {
		return 0, err
	}
	n = copy(p, blocks[min(int(offset-start), n):n])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// aligned returns size bytes at an aligned address inside the buffer, which it
// makes larger if need be.
func aligned(buffer *[]byte, size int) []byte {
	if len(*buffer) < size+alignment {
		*buffer = make([]byte, size+alignment)
	}
	address := uintptr(unsafe.Pointer(unsafe.SliceData(*buffer)))
	return (*buffer)[-address&(alignment-1):][:size]
}
