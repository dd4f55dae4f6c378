package planning

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext/inspect"
)

// Print writes what is worth knowing.
func (r Inspection) Print(w io.Writer) {
	printLive(w, r.Live)
	if len(r.Rows) == 0 {
		fmt.Fprintln(w, "The store has no tables.")
		return
	}
	r.printRows(w)
	r.printIndex(w)
	r.printNotes(w)
	fmt.Fprintln(w)
	plans := []Plan{r.Now}
	if r.Planned != nil {
		r.Planned.PrintLevels(w)
		fmt.Fprintln(w)
		plans = []Plan{*r.Planned, r.Now}
	}
	PrintPlans(w, plans)
}

func (r Inspection) printRows(w io.Writer) {
	t := report.NewTable(cells(rowHeader)...)
	for _, row := range r.Rows {
		t.AppendRow(cells(rowFigures(row)))
	}
	t.Print(w)
	fmt.Fprint(w, `
expected  false-positive rate of the family's filters at this size
measured  share of random absent keys that the filters let pass
`)
}

var rowHeader = []string{"level", "filters", "tables", "keys", "memory", "bits/key", "expected", "measured"}

func rowFigures(r inspect.Row) []string {
	bits := "-"
	if r.Bytes > 0 {
		bits = fmt.Sprintf("%.2f", r.BitsPerKey())
	}
	return []string{
		fmt.Sprintf("L%d", r.Level), short(r.Family), strconv.Itoa(r.Tables), report.Compact(float64(r.Keys)),
		report.Size(r.Bytes).Short(), bits, rate(r.Expected, 0), rate(r.Measured, r.Probes),
	}
}

// printIndex writes the index filters, if there are any.
func (r Inspection) printIndex(w io.Writer) {
	if len(r.Index) == 0 {
		return
	}
	fmt.Fprintln(w)
	t := report.NewTable(cells(indexHeader)...)
	for _, row := range r.Index {
		t.AppendRow(cells(indexFigures(row)))
	}
	t.Print(w)
	fmt.Fprint(w, `
in index  filters of data blocks, in the index: they take no memory of their own
covered   data blocks that have one
`)
}

var indexHeader = []string{"level", "in index", "tables", "keys", "bits/key", "covered", "expected", "measured"}

func indexFigures(r inspect.IndexRow) []string {
	measured := "-"
	if r.Probes > 0 {
		measured = rate(&r.Measured, r.Probes)
	}
	return []string{
		fmt.Sprintf("L%d", r.Level), report.Size(r.Bytes).Short(), strconv.Itoa(r.Tables), report.Compact(float64(r.Keys)),
		fmt.Sprintf("%.2f", r.BitsPerKey()), report.Percent(r.Coverage()), report.Percent(r.Expected), measured,
	}
}

// cells are those of a table for a terminal.
func cells(texts []string) (row []any) {
	for _, text := range texts {
		row = append(row, text)
	}
	return row
}

// printNotes says what an operator may want to change.
func (r Inspection) printNotes(w io.Writer) {
	notes := r.notes()
	if largest := r.largest(); largest.LargestBlock > 0 {
		text := fmt.Sprintf("Largest block: %s, in L%d; a shard of the block cache has %s.",
			report.Size(largest.LargestBlock).Short(), largest.Level, report.Size(r.CacheShard).Short())
		if largest.LargestBlock > r.CacheShard {
			text += "\nIt cannot stay cached, and every lookup reads it anew: use max= in its policy."
		}
		notes = slices.Insert(notes, 0, text)
	}
	if len(notes) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(notes, "\n"))
	}
}

// notes are about single levels.
func (r Inspection) notes() (notes []string) {
	add := func(level int, format string, values ...any) {
		notes = append(notes, fmt.Sprintf("L%d: %s.", level, fmt.Sprintf(format, values...)))
	}
	for _, row := range r.Rows {
		if note := r.note(row); note != "" {
			add(row.Level, "%s", note)
		}
		if row.Moved > 0 {
			add(row.Level, "%s written for another level, and moved here with the filter", tables(row.Moved))
		}
	}
	for _, row := range r.Index {
		if r.Read == Get {
			add(row.Level, "pebble.DB.Get never asks the filters in the index: %s for nothing", report.Size(row.Bytes).Short())
		}
	}
	return notes
}

func (r Inspection) note(row inspect.Row) string {
	unasked := row.Level == 6 && r.Read == Get
	switch {
	case row.Family == inspect.None && (unasked || row.Tables <= r.indexed(row.Level)):
		return ""
	case row.Family == inspect.None:
		return tables(row.Tables) + " without a table filter"
	case unasked:
		return "pebble.DB.Get never asks these filters: " + report.Size(row.Bytes).Short() + " for nothing"
	case row.Family == inspect.Unreadable:
		return tables(row.Tables) + " with a filter that is damaged or of a later version"
	case row.Measured == nil:
		return fmt.Sprintf("%s with filters of the policy %q, which is unknown here", tables(row.Tables), row.Family)
	}
	return ""
}

// indexed returns how many tables of a level have index filters, where they are
// asked.
func (r Inspection) indexed(level int) int {
	for _, row := range r.Index {
		if row.Level == level && r.Read != Get {
			return row.Tables
		}
	}
	return 0
}

func tables(n int) string {
	if n == 1 {
		return "1 table"
	}
	return fmt.Sprintf("%d tables", n)
}

// short fits the name of a policy into its column.
func short(family string) string {
	const width = 16
	if len(family) > width {
		return family[:width-1] + "…"
	}
	return family
}

// rate writes a rate that so many probes measured: with three positives
// expected, none is seen once in twenty times.
func rate(r *float64, probes int64) string {
	switch {
	case r == nil:
		return "-"
	case *r == 0 && probes > 0:
		return "<" + report.Percent(3/float64(probes))
	}
	return report.Percent(*r)
}
