package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// File becomes visible under its name when it is written, whole.
type File struct {
	name      string
	temporary *os.File // nil if there is no name
}

// CreateFile fails early if a file could not be written. An existing file is
// left alone until then. The name "" gives a File that writes nothing.
func CreateFile(name string) (*File, error) {
	if name == "" {
		return &File{}, nil
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file; name one", name)
	}
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, ".benchdb-*")
	if err != nil {
		return nil, fmt.Errorf("cannot write in %s: %w; name a file in another directory", dir, reason(err))
	}
	return &File{name, f}, nil
}

// WriteJSON writes v, indented, and gives the file its name.
func (f *File) WriteJSON(v any) error {
	return f.Write(func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}

// Write writes what a function does, and gives the file its name.
func (f *File) Write(write func(io.Writer) error) error {
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

// Close removes what was not written.
func (f *File) Close() error {
	if f.temporary == nil {
		return nil
	}
	err := os.Remove(f.temporary.Name())
	if errors.Is(err, os.ErrNotExist) { // renamed
		err = nil
	}
	return errors.Join(err, f.temporary.Close())
}
