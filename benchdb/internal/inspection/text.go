package inspection

import (
	"fmt"
	"io"

	"github.com/gravelkv/gravel/benchdb/internal/planning"
	"github.com/gravelkv/gravel/benchdb/internal/table"
	"github.com/gravelkv/gravel/pebbleext/inspect"
)

// Print writes what is worth knowing.
func (r Result) Print(w io.Writer) {
	if len(r.Rows) == 0 {
		fmt.Fprintln(w, "The store has no tables.")
		return
	}
	r.printRows(w)
	r.printNotes(w)
	fmt.Fprintln(w)
	plans := []planning.Plan{r.Now}
	if r.Planned != nil {
		r.Planned.PrintLevels(w)
		fmt.Fprintln(w)
		plans = []planning.Plan{*r.Planned, r.Now}
	}
	planning.PrintPlans(w, plans)
}

func (r Result) printRows(w io.Writer) {
	t := table.New("level", "filters", "tables", "keys", "memory", "bits/key", "expected", "measured")
	for _, row := range r.Rows {
		bits := "-"
		if row.Bytes > 0 {
			bits = fmt.Sprintf("%.2f", row.BitsPerKey())
		}
		t.AppendRow(table.Row{
			fmt.Sprintf("L%d", row.Level), short(row.Family), row.Tables, planning.Count(row.Keys),
			planning.Size(row.Bytes), bits, rate(row.Expected, 0), rate(row.Measured, row.Probes),
		})
	}
	fmt.Fprintln(w, t.Render())
	fmt.Fprint(w, `
expected  false-positive rate of the family's filters at this size
measured  share of random absent keys that the blocks let pass
`)
}

// printNotes says what an operator may want to change.
func (r Result) printNotes(w io.Writer) {
	fmt.Fprintln(w)
	if largest := r.largest(); largest.LargestBlock > 0 {
		fmt.Fprintf(w, "Largest block: %s, in L%d; a shard of the block cache has %s.\n",
			planning.Size(largest.LargestBlock), largest.Level, planning.Size(r.CacheShard))
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

func (r Result) note(row inspect.Row) string {
	unasked := row.Level == 6 && r.Read == planning.Get
	switch {
	case row.Family == inspect.None && unasked:
		return ""
	case row.Family == inspect.None:
		return tables(row.Tables) + " without a filter"
	case unasked:
		return "pebble.DB.Get never asks these filters: " + planning.Size(row.Bytes) + " for nothing"
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
		return "<" + planning.Rate(3/float64(probes))
	}
	return planning.Rate(*r)
}
