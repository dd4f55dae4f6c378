package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
)

// Outputs are where a command's results go besides its tables: every figure as
// JSON, and a page with charts.
type Outputs struct {
	// JSON and HTML are names of files, empty for none. JSON may be "-" for the
	// standard output.
	JSON, HTML string
	// Text is where the tables go. It is set by Measure.
	Text io.Writer

	figures, page *file
}

// AddFlags adds the flags of both files.
func (o *Outputs) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.JSON, "json", o.JSON, "file for every figure; - prints them in place of the tables")
	fs.StringVar(&o.HTML, "html", o.HTML, "file for a page with charts; empty for none")
}

// FileError is a file that cannot be written, with its flag.
type FileError struct{ error }

// open fails early if a file could not be written.
func (o *Outputs) open(stdout io.Writer) (err error) {
	o.Text = stdout
	if o.JSON == "-" {
		o.Text, o.figures = io.Discard, &file{stdout: stdout}
	} else if o.figures, err = createFile(o.JSON); err != nil {
		return FileError{fmt.Errorf("--json: %w", err)}
	}
	if o.page, err = createFile(o.HTML); err != nil {
		_ = o.figures.close() // err came first
		return FileError{fmt.Errorf("--html: %w", err)}
	}
	return nil
}

// Measure opens the files, lets a function fill the result and print tables, and
// writes the files: an interrupted result too, none after another error. It says on
// stderr where the page is.
func (o *Outputs) Measure(stdout, stderr io.Writer, r Result, fill func() error) (err error) {
	if err := o.open(stdout); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	err = fill()
	h := r.head()
	h.Interrupted = errors.Is(err, context.Canceled)
	if err != nil && !h.Interrupted {
		return err
	}
	if failed := errors.Join(o.figures.writeJSON(r), o.page.write(func(w io.Writer) error { return Render(w, r) })); failed != nil {
		return errors.Join(err, failed)
	}
	if o.HTML != "" {
		fmt.Fprintf(stderr, "benchdb: report in %s\n", o.HTML)
	}
	return err
}

// close removes files that were not written.
func (o *Outputs) close() error { return errors.Join(o.page.close(), o.figures.close()) }

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
	name = target(name)
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

// target is the file that a symbolic link names, which need not be there. The link
// stays.
func target(name string) string {
	if whole, err := filepath.EvalSymlinks(name); err == nil {
		return whole
	}
	link, err := os.Readlink(name)
	switch {
	case err != nil:
		return name
	case filepath.IsAbs(link):
		return link
	}
	return filepath.Join(filepath.Dir(name), link)
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
