package planning

import (
	"fmt"
	"io"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext/inspect"
)

// Print writes what is worth knowing.
func (r Inspection) Print(w io.Writer) {
	if len(r.Rows) == 0 {
		fmt.Fprintln(w, "The store has no tables.")
		return
	}
	r.printRows(w)
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
	t := report.NewTable("level", "filters", "tables", "keys", "memory", "bits/key", "expected", "measured")
	for _, row := range r.Rows {
		bits := "-"
		if row.Bytes > 0 {
			bits = fmt.Sprintf("%.2f", row.BitsPerKey())
		}
		t.AppendRow(report.Row{
			fmt.Sprintf("L%d", row.Level), short(row.Family), row.Tables, report.Compact(float64(row.Keys)),
			report.Size(row.Bytes).Short(), bits, rate(row.Expected, 0), rate(row.Measured, row.Probes),
		})
	}
	t.Print(w)
	fmt.Fprint(w, `
expected  false-positive rate of the family's filters at this size
measured  share of random absent keys that the blocks let pass
`)
}

// printNotes says what an operator may want to change.
func (r Inspection) printNotes(w io.Writer) {
	fmt.Fprintln(w)
	if largest := r.largest(); largest.LargestBlock > 0 {
		fmt.Fprintf(w, "Largest block: %s, in L%d; a shard of the block cache has %s.\n",
			report.Size(largest.LargestBlock).Short(), largest.Level, report.Size(r.CacheShard).Short())
		if largest.LargestBlock > r.CacheShard {
			fmt.Fprintln(w, "It cannot stay cached, and every lookup reads it anew: use max= in its policy.")
		}
	}
	for _, row := range r.Rows {
		if note := r.note(row); note != "" {
			fmt.Fprintf(w, "L%d: %s.\n", row.Level, note)
		}
		if row.Moved > 0 {
			fmt.Fprintf(w, "L%d: %s written for another level, and moved here with the filter.\n", row.Level, tables(row.Moved))
		}
	}
}

func (r Inspection) note(row inspect.Row) string {
	unasked := row.Level == 6 && r.Read == Get
	switch {
	case row.Family == inspect.None && unasked:
		return ""
	case row.Family == inspect.None:
		return tables(row.Tables) + " without a filter"
	case unasked:
		return "pebble.DB.Get never asks these filters: " + report.Size(row.Bytes).Short() + " for nothing"
	case row.Family == inspect.Unreadable:
		return tables(row.Tables) + " with a filter that is damaged or of a later version"
	case row.Measured == nil:
		return fmt.Sprintf("%s with filters of the policy %q, which is unknown here", tables(row.Tables), row.Family)
	}
	return ""
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
