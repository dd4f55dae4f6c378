package run

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Page is the report of benchdb run.
func (r *Result) Page() report.Page {
	p := report.Page{Title: "Filters in a Pebble store", Summary: r.summary(), Details: []report.Table{r.environment()}}
	if len(r.Writing) > 0 {
		p.Tables = append(p.Tables, r.WritingTable())
	}
	if len(r.Workloads) > 0 {
		p.Tables = append(p.Tables, r.answer()...)
	}
	for _, w := range r.Workloads {
		p.Details = append(p.Details, w.Table())
	}
	if len(r.Workloads) > 0 {
		p.Details = append(p.Details, Legend)
	}
	for _, w := range r.Remote {
		p.Tables = append(p.Tables, w.Tables()...)
		p.Draw(w.chart())
	}
	if len(r.Remote) > 0 {
		p.Tables = append(p.Tables, RemoteLegend)
	}
	p.Details = append(p.Details, r.filters())
	for _, s := range r.Stores {
		p.Details = append(p.Details, levels(s))
	}
	p.Draw(r.answers()...)
	if len(r.Settings.Memory) > 1 {
		p.Draw(r.againstMemory()...)
	}
	if len(r.Settings.Threads) > 1 {
		p.Draw(r.againstThreads()...)
	}
	return p
}

// answer is the table that Answer prints, in two halves: a telephone has no room
// for both beside each other.
func (r *Result) answer() (tables []report.Table) {
	answer := NewAnswer(nil, r.Settings)
	for i, caption := range []string{"Disk reads of an operation", "Median time of an operation in µs"} {
		t := report.NewTable(caption, 1, "workload", "none", "Bloom", "+L6", "Gravel", "ratio")
		for _, w := range r.Workloads {
			t.Add(append([]string{answer.label(w)}, answerOf(w).cells()[5*i:5*i+5]...)...)
		}
		tables = append(tables, t)
	}
	return tables
}

// noneShade is the shade of no filter in all charts.
const noneShade chart.Shade = 6

// shades gives each policy the same shade in all charts: no filter and Pebble's
// own theirs, and others those that are left, in turns.
func (m Measured) shades() map[string]chart.Shade {
	others := []chart.Shade{1, 3, 4, 5}
	shades := map[string]chart.Shade{}
	next := 0
	for _, s := range m.Stores {
		switch policy.Family(s.Policy) {
		case none:
			shades[s.Policy] = noneShade
		case policy.PebbleBloom:
			shades[s.Policy] = policy.PebbleShade
		default:
			shades[s.Policy] = others[next%len(others)]
			next++
		}
	}
	return shades
}

// filtersOf returns the filters of a row's store.
func (m Measured) filtersOf(row Row) store.Filters {
	for _, s := range m.Stores {
		if s.Policy == row.Policy {
			return s.Filters
		}
	}
	return store.Filters{}
}

// absent returns the workload of absent keys, empty if there is none.
func (r *Result) absent() Outcome {
	for _, w := range r.Workloads {
		if w.Name == ycsb.AbsentName && w.Absent > 0 && len(w.Rows) > 0 {
			return w
		}
	}
	return Outcome{}
}

// none is the family of no filter.
const none = "none"

// lookup is what an operation of the workload is.
func (o Outcome) lookup() string {
	if o.Absent == 1 {
		return "lookup of an absent key"
	}
	return fmt.Sprintf("lookup, %.4g %% of them of absent keys", 100*o.Absent)
}

// summary says what the policy with the fewest reads saves.
func (r *Result) summary() string {
	if r.Settings.Remote != "" {
		return r.remoteSummary()
	}
	w := r.absent()
	if len(w.Rows) == 0 {
		return "No lookups of absent keys were measured; the charts show what filters save in the workloads that were."
	}
	c := answerOf(w)
	if c.gravel == nil {
		return "No policy of Gravel's was measured."
	}
	filters := r.filtersOf(*c.gravel)
	text := fmt.Sprintf("With %s of memory in all and %s (%.1f bits per key, %s of filters) a %s takes %s disk reads",
		w.Memory.Human(), policy.Name(c.gravel.Policy), filters.BitsPerKey, report.Size(filters.Bytes).Human(), w.lookup(), report.Figure(c.gravel.ReadsPerOp()))
	if c.none != nil {
		text += fmt.Sprintf(" instead of %s without filters", report.Figure(c.none.ReadsPerOp()))
	}
	if c.pebble != nil {
		text += fmt.Sprintf(", and %s with %s", report.Figure(c.pebble.ReadsPerOp()), c.pebble.Policy)
	}
	if c.l6 != nil {
		text += fmt.Sprintf(" or %s by an iterator with L6's filters", report.Figure(c.l6.ReadsPerOp()))
	}
	if r.Interrupted {
		text += "; the run was interrupted"
	}
	return text + "."
}

// environment is where the run took place.
func (r *Result) environment() report.Table {
	s := r.Settings
	t := r.Table(
		[2]any{"records", s.Records}, [2]any{"value-size", s.ValueSize},
		[2]any{"memory", s.Memory.String()}, [2]any{"policies", strings.Join(s.Policies, " ")},
		[2]any{"workloads", strings.Join(s.Workloads, ",")}, [2]any{"operations", s.Operations},
		[2]any{"absent", s.Absent}, [2]any{"distribution", s.Distribution}, [2]any{"warmup", s.Warmup}, [2]any{"rounds", s.Rounds}, [2]any{"rate", int(s.Rate)},
		[2]any{"key-size", int(s.KeySize)}, [2]any{"split", s.Split}, [2]any{"threads", s.Threads.String()}, [2]any{"seed", s.Seed},
		[2]any{"load", s.Load}, [2]any{"direct", s.Direct}, [2]any{"remote", s.Remote})
	if s.Remote != "" {
		return t
	}
	t.Add("page cache", r.pageCache())
	return t
}

// pageCache says what served reads below the block cache.
func (r *Result) pageCache() string {
	if r.Settings.Direct {
		return "bypassed (O_DIRECT): reads are those of the device"
	}
	for _, w := range r.Workloads {
		if source := w.source(); source != "" {
			return "in use: reads were served by the " + source
		}
	}
	return "in use"
}

// levels describes the levels of a store.
func levels(s store.Description) report.Table {
	t := report.NewTable("Levels of the store with "+s.Policy, 1, "level", "tables", "keys", "data", "filters")
	for _, l := range s.Levels {
		t.Add(fmt.Sprintf("L%d", l.Level), fmt.Sprint(l.Tables),
			humanize.Comma(l.Keys), report.Size(l.Bytes-l.FilterBytes).Human(), report.Size(l.FilterBytes).Human())
	}
	return t
}
