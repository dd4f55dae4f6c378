package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"
)

// Outputs are where a command's results go besides its tables: every figure as
// JSON, and a page with charts.
type Outputs struct {
	// JSON and HTML are names of files, empty for none. JSON may be "-" for the
	// standard output.
	JSON, HTML string
	// Text is where the tables go. It is set by Open.
	Text io.Writer

	figures, page *file
}

// AddFlags adds the flags of both files.
func (o *Outputs) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.JSON, "json", o.JSON, "file for every figure; - prints them in place of the tables")
	fs.StringVar(&o.HTML, "html", o.HTML, "file for a page with charts; empty for none")
}

// Open fails early, with the flag, if a file could not be written.
func (o *Outputs) Open(stdout io.Writer) (err error) {
	o.Text = stdout
	if o.JSON == "-" {
		o.Text, o.figures = io.Discard, &file{stdout: stdout}
	} else if o.figures, err = createFile(o.JSON); err != nil {
		return fmt.Errorf("--json: %w", err)
	}
	if o.page, err = createFile(o.HTML); err != nil {
		_ = o.figures.close() // err came first
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// Write writes the files.
func (o *Outputs) Write(figures any, page Page) error {
	return errors.Join(o.figures.writeJSON(figures), o.page.write(page.Write))
}

// Close removes files that were not written.
func (o *Outputs) Close() error { return errors.Join(o.page.close(), o.figures.close()) }
