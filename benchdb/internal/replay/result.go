package replay

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/checkpoint"
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
	Keys      int      `json:"keys"`
	Sampled   bool     `json:"sampled"`
	Absent    float64  `json:"absent"`  // the share of them that is not there
	Outside   int      `json:"outside"` // keys that lie in no table
	Policies  []string `json:"policies"`
	Forecast  bool     `json:"forecast"`
	CacheSize int64    `json:"cache_size"`
	// FilterMemory is the budget of resident filters.
	FilterMemory int64  `json:"filter_memory"`
	Threads      int    `json:"threads"`
	Seed         uint64 `json:"seed"`
	Direct       bool   `json:"direct"`
}

// Count counts the keys.
func (s *Settings) Count(o *Overlaps) {
	absent := 0
	s.Keys, s.Outside = len(o.keys), 0
	for i, visits := range o.visits {
		if o.Absent[i] {
			absent++
		}
		if !slices.ContainsFunc(visits, func(v visit) bool { return v.overlaps }) {
			s.Outside++
		}
	}
	s.Absent = float64(absent) / float64(s.Keys)
}

// Header prints what is replayed.
func (r *Result) Header(w io.Writer) {
	s := r.Settings
	fmt.Fprintf(w, "%s, %.3g %% of them absent; block cache %s, %s\n%v\n", report.Plural(s.Keys, "key"), 100*s.Absent,
		report.Size(s.CacheSize).Human(), report.Plural(s.Threads, "thread"), r.Environment)
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

// Expect adds forecasts of a workload's rows, measured or not.
func (r *Result) Expect(w Workload, copies []Copy, b *run.Bench) error {
	m := Memory{Cache: b.CacheSize, Filters: b.FilterMemory}
	for _, c := range copies {
		for _, l := range b.Lookups(w.Workload, c.Policy) {
			f := Forecast{Workload: w.Name, Policy: c.Policy.Text, Lookup: l}
			names := waysOf(l)
			if row := r.row(f); row != nil {
				measured := row.ReadsPerOp()
				f.Measured = &measured
				if _, known := ways[row.Way]; known {
					names = []string{row.Way}
				}
			}
			var err error
			if f.Cost, f.Way, err = c.Expect(w, l, names, m); err != nil {
				return err
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

// PrintForecasts prints a table for each workload, explains the columns, and says
// how good the forecasts are.
func (r *Result) PrintForecasts(w io.Writer) {
	for _, t := range r.forecasts() {
		t.Print(w)
	}
	fmt.Fprintf(w, "\nForecasts are within %.0f %% of what was measured, or 2 reads in 100 lookups.\n", math.Ceil(max(100*r.Worst(), 1)))
}

// forecasts has a table for each workload, and the legends.
func (r *Result) forecasts() (tables []report.Table) {
	for i, f := range r.Forecasts {
		if i == 0 || f.Workload != r.Forecasts[i-1].Workload {
			tables = append(tables, report.NewTable(f.Workload+": forecast", 3, "policy", "lookup", "way", "reads\n/op", "KiB\n/op", "measured\nreads/op", "off\n%"))
		}
		tables[len(tables)-1].Add(f.figures()...)
	}
	return append(tables, run.Legend, legend)
}

func (f Forecast) figures() []string {
	measured, off := "-", "-"
	if f.Measured != nil {
		measured = fmt.Sprintf("%.4f", *f.Measured)
		if *f.Measured > 0 {
			off = fmt.Sprintf("%+.1f", math.Round(1000*f.off())/10+0) // +0 makes -0 0
		}
	}
	return []string{f.Policy, string(f.Lookup), f.Way, fmt.Sprintf("%.4f", f.ReadsPerOp()), report.Decimals(f.KiBPerOp(), 3), measured, off}
}

// off is how far the forecast is from what was measured, 0 if it was not.
func (f Forecast) off() float64 {
	if f.Measured == nil || *f.Measured == 0 {
		return 0
	}
	return f.ReadsPerOp() / *f.Measured - 1
}

// legend explains the tables of forecasts.
var legend = report.Facts("",
	[2]any{"measured", "reads/op of the same row above; off is the forecast against it"},
	[2]any{"L6", "an iterator that asks the filters of all levels"},
	[2]any{"way", "how a Reader looked up: by get, table filters or index filters"},
	[2]any{"Reader", "counted in its best way, timed while it also tries others"})

// Worst is the largest difference of a forecast from what was measured. What
// differs by less than two reads for a hundred lookups does not count: that is
// chance, which decides what filters let pass.
func (r *Result) Worst() (worst float64) {
	for _, f := range r.Forecasts {
		if f.Measured != nil && math.Abs(f.ReadsPerOp()-*f.Measured) >= 0.02 {
			worst = max(worst, math.Abs(f.off()))
		}
	}
	return worst
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
			r.Table(keys, [2]any{"policies", strings.Join(s.Policies, " ")}, [2]any{"forecast", s.Forecast},
				[2]any{"cache-size", report.Size(s.CacheSize)}, [2]any{"threads", s.Threads}, [2]any{"seed", s.Seed}, [2]any{"direct", s.Direct}),
			report.Facts("Keys and store", [2]any{"keys", s.Keys}, [2]any{"absent", report.Percent(s.Absent)},
				[2]any{"tables", r.View.Tables}, [2]any{"data", report.Size(r.View.Bytes).Human()}),
		},
	}
	for _, w := range r.Workloads {
		p.Tables = append(p.Tables, w.Table())
	}
	p.Tables = append(p.Tables, r.forecasts()...)
	p.Draw(r.ReadsByWorkload()...)
	return p
}

// summary says which row reads least, of all keys if there are both kinds.
func (r *Result) summary() string {
	if len(r.Workloads) == 0 || len(r.Workloads[0].Rows) == 0 {
		return "Nothing was measured."
	}
	w := r.Workloads[0]
	now, best := w.Rows[0], w.Rows[0]
	for _, row := range w.Rows {
		if row.ReadsPerOp() < best.ReadsPerOp() {
			best = row
		}
	}
	through := map[run.Lookup]string{
		run.Get: "pebble.DB.Get", run.L6Filters: "an iterator that asks the filters of all levels",
		run.Reader: "pebbleext.Reader", run.Resident: "pebbleext.Reader and filters in memory",
	}
	return fmt.Sprintf("Of %s, a lookup takes %s disk reads in the store as it is, by pebble.DB.Get; the fewest measured are %s, with %s by %s.",
		w.Name, report.Figure(now.ReadsPerOp()), report.Figure(best.ReadsPerOp()), best.Policy, through[best.Lookup])
}
