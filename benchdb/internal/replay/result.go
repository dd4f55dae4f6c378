package replay

import (
	"fmt"
	"io"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/checkpoint"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/run"
)

// Result is the outcome of benchdb replay, in the form of its JSON file.
type Result struct {
	report.Head
	Settings Settings          `json:"settings"`
	View     checkpoint.Report `json:"view"`
	run.Measured
	Forecasts []Forecast `json:"forecasts"`
}

// Settings are what was asked for. Sizes are in bytes.
type Settings struct {
	Keys     int      `json:"keys"`
	Sample   int      `json:"sample"`  // keys that were asked for, 0 for those of a file
	Absent   float64  `json:"absent"`  // the share of them that is not there
	Outside  int      `json:"outside"` // keys that lie in no table
	Policies []string `json:"policies"`
	Rewrite  bool     `json:"rewrite"` // copies with the filters were made
	// Memory is what each row has for blocks and filters.
	Memory  report.Size `json:"memory"`
	Threads int         `json:"threads"`
	Seed    uint64      `json:"seed"`
	Direct  bool        `json:"direct"`
}

// Print writes the answer, the reads, and what was replayed.
func (r *Result) Print(w io.Writer) {
	fmt.Fprintln(w, report.Wrap(r.answer()))
	r.reads().Print(w)
	s := r.Settings
	how := "links"
	if r.View.Copied > 0 {
		how = "copies"
	}
	fmt.Fprintf(w, "\n%s, %.3g %% of them absent; memory %s, %s\n%v\nthe store's %s of one moment, %s, by %s, without its log\n",
		report.Plural(s.Keys, "key"), 100*s.Absent, s.Memory.Human(), report.Plural(s.Threads, "thread"), r.Environment,
		report.Plural(r.View.Tables, "table"), report.Size(r.View.Bytes).Human(), how)
	if s.Outside > s.Keys/2 {
		fmt.Fprintf(w, "%s within the bounds of no table, where no filter can help: are these the store's keys, as it has them?\n",
			report.Plural(s.Outside, "key"))
	}
}

// uncertain is how far forecasts may be off, see levelplan.Shape.DiskReads.
const uncertain = 0.15

// answer says what lookups read now, and would read with the best of the policies.
func (r *Result) answer() string {
	first := r.Workloads[0]
	get, db := first.Row(policy.AsItIs, run.Get), first.Row(policy.AsItIs, run.DB)
	if get == nil || db == nil {
		return "The replay was interrupted."
	}
	best := r.Forecasts[0]
	for _, f := range r.Forecasts {
		if f.Workload == first.Name && f.Reads < best.Reads {
			best = f
		}
	}
	name := policy.Name(best.Policy)
	now, then := report.Figure(get.ReadsPerOp()), report.Figure(best.Reads)
	text := fmt.Sprintf("With %s, a lookup would read %s blocks instead of %s.", name, then, now)
	if best.Reads > get.ReadsPerOp()*(1-uncertain) {
		text = fmt.Sprintf("With %s, a lookup would read about as much: %s blocks, now %s.", name, then, now)
	}
	return text + fmt.Sprintf("\npebbleext.DB reads %s with the filters that are there.", report.Figure(db.ReadsPerOp()))
}

// ways are the names of lookups.
var ways = map[run.Lookup]string{run.Get: "pebble.DB.Get", run.L6Filters: "UseL6Filters", run.DB: "pebbleext.DB"}

// reads has what a lookup reads, with a column for each workload. All have the same
// policies and ways.
func (r *Result) reads() report.Table {
	header := []string{"filters", "by", ""}
	for i, f := range r.Forecasts {
		if i == 0 || f.Workload != r.Forecasts[i-1].Workload {
			header = append(header, strings.Replace(f.Workload, " ", "\n", 1))
		}
	}
	workloads := len(header) - 3
	t := report.NewTable("Blocks that a lookup reads from disk", 3, append(header, "median\nµs")...)
	for i, row := range r.Workloads[0].Rows {
		cells := []string{row.Policy, ways[row.Lookup], "measured"}
		for n := range workloads {
			cell := "-" // interrupted
			if n < len(r.Workloads) && i < len(r.Workloads[n].Rows) {
				cell = report.Decimals(r.Workloads[n].Rows[i].ReadsPerOp(), 3)
			}
			cells = append(cells, cell)
		}
		t.Add(append(cells, row.Median())...)
	}
	each := len(r.Forecasts) / workloads
	for i, f := range r.Forecasts[:each] {
		cells := []string{f.Policy, ways[f.Lookup], "forecast"}
		for n := range workloads {
			cells = append(cells, report.Decimals(r.Forecasts[n*each+i].Reads, 3))
		}
		t.Add(append(cells, "-")...)
	}
	return t
}

// Page is the report of benchdb replay.
func (r *Result) Page() report.Page {
	s := r.Settings
	keys := [2]any{"keys", "FILE"}
	if s.Sample > 0 {
		keys = [2]any{"sample", s.Sample}
	}
	p := report.Page{
		Title: "Your keys in your store", Summary: "Nothing was measured.",
		Details: []report.Table{
			r.Table(keys, [2]any{"policies", strings.Join(s.Policies, " ")}, [2]any{"rewrite", s.Rewrite},
				[2]any{"memory", s.Memory}, [2]any{"threads", s.Threads}, [2]any{"seed", s.Seed}, [2]any{"direct", s.Direct}),
			report.Facts("Keys and store", [2]any{"keys", s.Keys}, [2]any{"absent", report.Percent(s.Absent)},
				[2]any{"tables", r.View.Tables}, [2]any{"data", report.Size(r.View.Bytes).Human()}),
		},
	}
	if len(r.Workloads) > 0 {
		p.Summary, p.Tables = r.answer(), []report.Table{r.reads()}
	}
	for _, w := range r.Workloads {
		p.Details = append(p.Details, w.Table())
	}
	p.Details = append(p.Details, run.Legend)
	return p
}
