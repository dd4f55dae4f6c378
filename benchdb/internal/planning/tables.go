package planning

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Print writes the plan, what is expected of it beside others, and the lines
// that put it to use.
func (r *Result) Print(w io.Writer) {
	if r.Live {
		fmt.Fprintf(w, "store: %s\n", liveNote)
	}
	fmt.Fprintln(w, r.shape())
	for _, t := range r.tables() {
		t.Print(w)
	}
	fmt.Fprintln(w, "\n"+report.Wrap(fmt.Sprintf("This plan's filters: %s. The knee of the curve, beyond which memory saves less: %s.",
		r.Divisions[0].Name, report.Size(r.Knee.Bytes).Short())))
	fmt.Fprintf(w, "\nplan, err := pebbleext.ParsePlan(%q)\ndb, err := pebbleext.Open(dir, opts, pebbleext.Options{Plan: plan})\n", r.Plans[0].Text)
}

func (r *Result) tables() []report.Table {
	return []report.Table{r.Plans[0].table("Levels of this plan"), plans(r.Plans), r.divisions(), wastedLegend}
}

// liveNote says what is seen of a store that is open elsewhere.
const liveNote = "open elsewhere: its tables of one moment, by links, without its log"

// shape describes the store in a line.
func (r *Result) shape() string {
	var levels []string
	for i, l := range r.Shape.Levels {
		if i > 0 && l.Level == r.Shape.Levels[i-1].Level { // a sublevel
			levels[len(levels)-1] += " + " + report.Compact(float64(l.Keys))
			continue
		}
		levels = append(levels, fmt.Sprintf("L%d %s", l.Level, report.Compact(float64(l.Keys))))
	}
	path := "pebbleext.Reader"
	if r.Settings.Read == Get {
		path = "pebble.DB.Get"
	}
	return fmt.Sprintf("keys: %s; read with %s", strings.Join(levels, ", "), path)
}

// table has the levels of a plan.
func (p Plan) table(caption string) report.Table {
	t := report.NewTable(caption, 2, "level", "policy", "keys", "memory", "bits\n/key", "FPR\n%", "absent\nwasted", "present\nwasted")
	for _, l := range p.Levels {
		t.Add("L"+strconv.Itoa(l.Level), withoutOptions(l.Policy), report.Compact(float64(l.Keys)), report.Size(l.Bytes).Short(),
			fmt.Sprintf("%.1f", l.bitsPerKey()), report.Decimals(100*l.FPR, 4), wasted(l.WastedAbsent), wasted(l.WastedPresent))
	}
	return t
}

// withoutOptions leaves out options, which would make a table too wide.
func withoutOptions(policy string) string {
	family, _, _ := strings.Cut(policy, ",")
	return family
}

// plans compares wasted reads and memory of plans, and says how many times those
// of the first the others waste.
func plans(all []Plan) report.Table {
	t := report.NewTable("Reads that filters waste", 1, "filters", "memory", "absent\nwasted", "present\nwasted", "times")
	for _, p := range all {
		times := "-"
		if least := all[0].WastedAbsent; least > 0 {
			times = fmt.Sprintf("%.3g", p.WastedAbsent/least)
		}
		t.Add(p.Name, report.Size(p.Bytes).Short(), wasted(p.WastedAbsent), wasted(p.WastedPresent), times)
	}
	return t
}

func wasted(n float64) string { return strconv.FormatFloat(n, 'f', 5, 64) }

var wastedLegend = report.Facts("",
	[2]any{"absent", "for each lookup of a key that is not there"},
	[2]any{"present", "for each lookup of a key that is there"},
	[2]any{"wasted", "data blocks read in vain, from disk or from the cache"},
	[2]any{"times", "wasted reads of absent keys, as a multiple of the first row's"})

// filters has the table filters of a store.
func (r *Inspection) filters() report.Table {
	t := report.NewTable("Table filters", 2, "level", "filters", "tables", "keys", "memory", "bits\n/key", "expected\nFPR", "measured\nFPR")
	for _, row := range r.Rows {
		bits := "-"
		if row.Bytes > 0 {
			bits = fmt.Sprintf("%.2f", row.BitsPerKey())
		}
		t.Add(fmt.Sprintf("L%d", row.Level), short(row.Family), strconv.Itoa(row.Tables), report.Compact(float64(row.Keys)),
			report.Size(row.Bytes).Short(), bits, rate(row.Expected, 0), rate(row.Measured, row.Queries))
	}
	return t
}

// index has the filters of data blocks of a store.
func (r *Inspection) index() report.Table {
	t := report.NewTable("Filters of data blocks, in the index", 1, "level", "in index", "tables", "keys", "bits\n/key", "covered", "expected\nFPR", "measured\nFPR")
	for _, row := range r.Index {
		measured := "-"
		if row.Queries > 0 {
			measured = rate(&row.Measured, row.Queries)
		}
		t.Add(fmt.Sprintf("L%d", row.Level), report.Size(row.Bytes).Short(), strconv.Itoa(row.Tables), report.Compact(float64(row.Keys)),
			fmt.Sprintf("%.2f", row.BitsPerKey()), report.Percent(row.Coverage()), report.Percent(row.Expected), measured)
	}
	return t
}

// short fits the name of a policy of others into its column.
func short(family string) string {
	const width = 16
	if len(family) > width {
		return family[:width-1] + "…"
	}
	return family
}

// rate writes a rate that so many queries measured: with three positives
// expected, none is seen once in twenty times.
func rate(r *float64, queries int64) string {
	switch {
	case r == nil:
		return "-"
	case *r == 0 && queries > 0:
		return "<" + report.Percent(3/float64(queries))
	}
	return report.Percent(*r)
}

// Print writes what is worth knowing.
func (r *Inspection) Print(w io.Writer) {
	if r.Live {
		fmt.Fprintf(w, "store: %s\n", liveNote)
	}
	if len(r.Rows) == 0 {
		fmt.Fprintln(w, "The store has no tables.")
		return
	}
	for _, t := range r.tables() {
		t.Print(w)
	}
	if notes := r.notes(); len(notes) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.Join(notes, "\n"))
	}
}

// scans has the filters that scans ask.
func (r *Inspection) scans() report.Table {
	t := report.NewTable("Filters for scans, in the index", 2, "level", "filters", "tables")
	for _, row := range r.Scans {
		t.Add(fmt.Sprintf("L%d", row.Level), row.Filters, strconv.Itoa(row.Tables))
	}
	return t
}

func (r *Inspection) tables() []report.Table {
	tables := []report.Table{r.filters(), r.index(), r.scans()}
	if r.Planned != nil {
		tables = append(tables, r.Planned.table("Levels under the plan"))
	}
	facts := [][2]any{
		{"expected", "false-positive rate of the family's filters at this size"},
		{"measured", "share of random absent keys that the filters let pass"},
	}
	if len(r.Index) > 0 {
		facts = append(facts, [2]any{"covered", "data blocks that have a filter in the index"})
	}
	legend := report.Facts("", facts...)
	legend.Rows = slices.Concat(legend.Rows, wastedLegend.Rows)
	return append(tables, plans(r.plans()), legend)
}

// plans are that of --plan, if there is one, and what the store has now.
func (r *Inspection) plans() (all []Plan) {
	if r.Planned != nil {
		all = append(all, *r.Planned)
	}
	all = append(all, r.Now)
	if r.NowGet != nil {
		all = append(all, *r.NowGet)
	}
	return all
}
