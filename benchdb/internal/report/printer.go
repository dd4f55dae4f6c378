package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/gravelkv/gravel/benchdb/internal/results"
	"github.com/gravelkv/gravel/benchdb/internal/table"
)

// Printer prints the results of benchdb run as they come.
type Printer interface {
	// Header prints what is measured.
	Header(r *results.Run)
	// Stores prints the stores, once they are loaded.
	Stores(r *results.Run)
	// Workload prints the outcome of one workload.
	Workload(r *results.Run, w results.Workload)
	// Sweep prints the outcome of a cache-size sweep.
	Sweep(r *results.Run)
	// Close prints what follows everything else, also after an interruption.
	Close(r *results.Run) error
}

// formats are the printers by the name of their format.
var formats = map[string]func(io.Writer) Printer{
	"text":     func(w io.Writer) Printer { return &tables{w: w, colours: table.Coloured(w)} },
	"markdown": func(w io.Writer) Printer { return &tables{w: w, markdown: true} },
	"csv":      func(w io.Writer) Printer { return newCSV(w) },
	"json":     func(w io.Writer) Printer { return jsonPrinter{w} },
}

// Formats lists the names of formats.
const Formats = "text, markdown, csv or json"

// CheckFormat fails if a format is unknown.
func CheckFormat(format string) error {
	if formats[format] == nil {
		return fmt.Errorf("%q: must be %s", format, Formats)
	}
	return nil
}

// NewPrinter returns a printer of a format that CheckFormat accepts.
func NewPrinter(format string, w io.Writer) Printer { return formats[format](w) }

// jsonPrinter prints everything at the end.
type jsonPrinter struct{ w io.Writer }

func (jsonPrinter) Header(*results.Run)                     {}
func (jsonPrinter) Stores(*results.Run)                     {}
func (jsonPrinter) Workload(*results.Run, results.Workload) {}
func (jsonPrinter) Sweep(*results.Run)                      {}

func (p jsonPrinter) Close(r *results.Run) error {
	e := json.NewEncoder(p.w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
