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
	Sampled  bool     `json:"sampled"`
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

// Count counts the keys.
func (s *Settings) Count(truth *Survey) {
	s.Keys, s.Outside, s.Absent = len(truth.keys), truth.Outside, truth.absent()
}

// absent is the share of the keys that are not there.
func (s *Survey) absent() float64 {
	n := 0
	for _, absent := range s.Absent {
		if absent {
			n++
		}
	}
	return float64(n) / float64(max(len(s.Absent), 1))
}

// Header prints what is replayed.
func (r *Result) Header(w io.Writer) {
	s := r.Settings
	fmt.Fprintf(w, "%s, %.3g %% of them absent; memory %s, %s\n%v\n", report.Plural(s.Keys, "key"), 100*s.Absent,
		s.Memory.Human(), report.Plural(s.Threads, "thread"), r.Environment)
	how := "links"
	if r.View.Copied > 0 {
		how = "copies"
	}
	fmt.Fprintf(w, "the store's %s of one moment, %s, by %s, without its log\n",
		report.Plural(r.View.Tables, "table"), report.Size(r.View.Bytes).Human(), how)
	if s.Outside > s.Keys/2 {
		fmt.Fprintf(w, "%s within the bounds of no table, where no filter can help: are these the store's keys, as it has them?\n",
			report.Plural(s.Outside, "key"))
	}
}

// Expect adds forecasts of a workload for policies, measured or not.
func (r *Result) Expect(w Workload, policies []policy.Policy, survey *Survey, b *run.Bench) error {
	for _, p := range policies {
		for _, l := range b.Lookups(w.Workload, p) {
			f, err := survey.Forecast(w, p, l, b.Memory)
			if err != nil {
				return err
			}
			if row := r.row(f); row != nil {
				measured := row.ReadsPerOp()
				f.Measured = &measured
			}
			r.Forecasts = append(r.Forecasts, f)
		}
	}
	return nil
}

// row is the measured one of a forecast, nil if there is none.
func (r *Result) row(f Forecast) *run.Row {
	for _, w := range r.Workloads {
		if w.Name == f.Workload {
			return w.Row(f.Policy, f.Lookup)
		}
	}
	return nil
}

// PrintForecasts prints a table for each workload, and explains the columns.
func (r *Result) PrintForecasts(w io.Writer) {
	for _, t := range r.forecasts() {
		t.Print(w)
	}
}

// forecasts has a table for each workload, and the legends.
func (r *Result) forecasts() (tables []report.Table) {
	for i, f := range r.Forecasts {
		if i == 0 || f.Workload != r.Forecasts[i-1].Workload {
			tables = append(tables, report.NewTable(f.Workload+": forecast", 2, "policy", "lookup", "reads\n/op", "KiB\n/op", "measured\nreads/op"))
		}
		measured := "-"
		if f.Measured != nil {
			measured = fmt.Sprintf("%.4f", *f.Measured)
		}
		tables[len(tables)-1].Add(f.Policy, string(f.Lookup), fmt.Sprintf("%.4f", f.Reads), report.Decimals(f.Bytes/1024, 3), measured)
	}
	return append(tables, run.Legend)
}

// Page is the report of benchdb replay.
func (r *Result) Page() report.Page {
	s := r.Settings
	keys := [2]any{"keys", "FILE"}
	if s.Sampled {
		keys = [2]any{"sample", s.Keys}
	}
	p := report.Page{
		Title: "Your keys in your store", Summary: r.summary(),
		Details: []report.Table{
			r.Table(keys, [2]any{"policies", strings.Join(s.Policies, " ")}, [2]any{"rewrite", s.Rewrite},
				[2]any{"memory", s.Memory}, [2]any{"threads", s.Threads}, [2]any{"seed", s.Seed}, [2]any{"direct", s.Direct}),
			report.Facts("Keys and store", [2]any{"keys", s.Keys}, [2]any{"absent", report.Percent(s.Absent)},
				[2]any{"tables", r.View.Tables}, [2]any{"data", report.Size(r.View.Bytes).Human()}),
		},
	}
	for _, w := range r.Workloads {
		p.Tables = append(p.Tables, w.Table())
	}
	p.Tables = append(p.Tables, r.forecasts()...)
	return p
}

// summary says what the store reads, and what it is expected to read.
func (r *Result) summary() string {
	if len(r.Workloads) == 0 || len(r.Workloads[0].Rows) == 0 {
		return "Nothing was measured."
	}
	w := r.Workloads[0]
	text := fmt.Sprintf("Of %s, a lookup takes %s disk reads in the store as it is, by pebble.DB.Get", w.Name, report.Figure(w.Rows[0].ReadsPerOp()))
	var best *Forecast
	for _, f := range r.Forecasts {
		if f.Workload == w.Name && (best == nil || f.Reads < best.Reads) {
			best = &f
		}
	}
	if best == nil {
		return text + "."
	}
	how := "by pebble.DB.Get"
	if best.Lookup != run.Get {
		how = "by an iterator with UseL6Filters"
	}
	if best.Lookup == run.DB {
		how = "by pebbleext.DB"
	}
	return fmt.Sprintf("%s; the forecast is %s with %s, %s.", text, report.Figure(best.Reads), best.Policy, how)
}
