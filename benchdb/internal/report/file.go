package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// file becomes visible under its name when it is written, whole.
type file struct {
	name      string
	temporary *os.File  // nil if there is no name
	stdout    io.Writer // in place of a file, if not nil
}

// createFile fails early if a file could not be written. An existing file is
// left alone until then. The name "" gives a file that writes nothing.
func createFile(name string) (*file, error) {
	if name == "" {
		return &file{}, nil
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file; name one", name)
	}
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, ".benchdb-*")
	if err != nil {
		return nil, fmt.Errorf("cannot write in %s: %w; name a file in another directory", dir, Reason(err))
	}
	return &file{name: name, temporary: f}, nil
}

// writeJSON writes v, indented, and gives the file its name.
func (f *file) writeJSON(v any) error {
	return f.write(func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}

// write writes what a function does, and gives the file its name.
func (f *file) write(write func(io.Writer) error) error {
	if f.stdout != nil {
		return write(f.stdout)
	}
	if f.temporary == nil {
		return nil
	}
	if err := write(f.temporary); err != nil {
		return err
	}
	if err := f.temporary.Chmod(0o644); err != nil {
		return err
	}
	return os.Rename(f.temporary.Name(), f.name)
}

// close removes what was not written.
func (f *file) close() error {
	if f.temporary == nil {
		return nil
	}
	err := os.Remove(f.temporary.Name())
	if errors.Is(err, os.ErrNotExist) { // renamed
		err = nil
	}
	return errors.Join(err, f.temporary.Close())
}

// Reason strips the operation and the path, which the caller tells.
func Reason(err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
