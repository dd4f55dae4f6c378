package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Outputs are the files that a command's result goes to, besides its tables.
type Outputs struct {
	// Files are their names. The ending says what is in one: see formats.
	Files []string
	// Text is where the tables go. It is set by Measure.
	Text io.Writer

	files []*file
}

// formats are what a file may hold, by the ending of its name.
var formats = map[string]func(w io.Writer, r Result) error{
	".html": Render,
	".svg":  writePicture,
	".json": writeJSON,
	".csv":  writeCSV,
	".txt":  writeBenchmarks,
}

// AddFlags adds the flag of the files.
func (o *Outputs) AddFlags(fs *pflag.FlagSet) {
	fs.StringSliceVar(&o.Files, "out", o.Files, "files: .html has a page with charts, .svg the first of them, .json every figure, .csv a table, .txt is for benchstat; - prints JSON in place of the tables")
}

// open fails early if a file could not be written.
func (o *Outputs) open(stdout io.Writer, r Result) error {
	o.Text = stdout
	_, sampled := r.(Sampled)
	for _, name := range o.Files {
		f := &file{ending: strings.ToLower(filepath.Ext(name))}
		var err error
		switch {
		case name == "-":
			o.Text, f.ending, f.stdout = io.Discard, ".json", stdout
		case !sampled && slices.Contains([]string{".csv", ".txt"}, f.ending):
			err = fmt.Errorf("%s: must end in .html, .svg or .json", name)
		case formats[f.ending] == nil:
			err = fmt.Errorf("%s: must end in .html, .svg, .json, .csv or .txt", name)
		default:
			err = f.create(name)
		}
		if err != nil {
			_ = o.close() // err came first
			return Usagef("--out: %w", err)
		}
		o.files = append(o.files, f)
	}
	return nil
}

// Measure opens the files, lets a function fill the result and print tables, and
// writes the files: an interrupted result too, none after another error. It says on
// stderr where the page is.
func (o *Outputs) Measure(stdout, stderr io.Writer, r Result, fill func() error) (err error) {
	if err := o.open(stdout, r); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	err = fill()
	h := r.head()
	h.Interrupted = errors.Is(err, context.Canceled)
	if err != nil && !h.Interrupted {
		return err
	}
	for _, f := range o.files {
		if failed := f.write(r); failed != nil {
			return errors.Join(err, failed)
		}
		if f.ending == ".html" {
			fmt.Fprintf(stderr, "benchdb: report in %s\n", f.name)
		}
	}
	return err
}

// close removes files that were not written.
func (o *Outputs) close() (err error) {
	for _, f := range o.files {
		err = errors.Join(err, f.close())
	}
	return err
}

// file becomes visible under its name when it is written, whole.
type file struct {
	name      string // as it was given
	ending    string
	temporary *os.File
	stdout    io.Writer // in place of a file, if not nil
}

// create fails early if a file could not be written. An existing file is left
// alone until then.
func (f *file) create(name string) (err error) {
	f.name, name = name, target(name)
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file; name one", name)
	}
	dir := filepath.Dir(name)
	if f.temporary, err = os.CreateTemp(dir, ".benchdb-*"); err != nil {
		return fmt.Errorf("cannot write in %s: %w; name a file in another directory", dir, Reason(err))
	}
	return nil
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

// writeJSON writes every figure, indented.
func writeJSON(w io.Writer, r Result) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// write writes the result, and gives the file its name.
func (f *file) write(r Result) error {
	if f.stdout != nil {
		return formats[f.ending](f.stdout, r)
	}
	if err := formats[f.ending](f.temporary, r); err != nil {
		return err
	}
	if err := f.temporary.Chmod(0o644); err != nil {
		return err
	}
	return os.Rename(f.temporary.Name(), target(f.name))
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
