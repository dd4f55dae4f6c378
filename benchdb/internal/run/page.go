package run

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Page is the report of benchdb run.
func Page(r *Result) report.Page {
	v := view{r, r.shades()}
	p := report.Page{
		Title:       "Filters in a Pebble store",
		Summary:     v.summary(),
		Tables:      v.main(),
		Environment: v.environment(),
		Data:        r,
		Name:        "benchdb-run.json",
	}
	p.Charts = append(p.Charts, v.ReadsByWorkload()...)
	p.Charts = append(p.Charts, v.readsByMemory()...)
	p.Charts = append(p.Charts, v.rates()...)
	p.Charts = append(p.Charts, v.latency()...)
	p.Charts = append(p.Charts, v.buildCost()...)
	p.Charts = append(p.Charts, v.sweeps()...)
	p.Charts = append(p.Charts, v.readsByLevel()...)
	return p
}

// view is a run seen by its page.
type view struct {
	*Result
	shades map[string]chart.Shade
}

// noneShade is the shade of no filter in all charts.
const noneShade chart.Shade = 6

// shades gives each policy the same shade in all charts.
func (m Measured) shades() map[string]chart.Shade {
	texts := make([]string, len(m.Stores))
	for i, s := range m.Stores {
		texts[i] = s.Policy
	}
	return shadesOf(texts)
}

// shadesOf gives no filter and Pebble's own their shades, and others those that
// are left, in turns.
func shadesOf(policies []string) map[string]chart.Shade {
	others := []chart.Shade{1, 3, 4, 5}
	shades := map[string]chart.Shade{}
	next := 0
	for _, text := range policies {
		switch policy.Family(text) {
		case "none":
			shades[text] = noneShade
		case policy.PebbleBloom:
			shades[text] = policy.PebbleShade
		default:
			shades[text] = others[next%len(others)]
			next++
		}
	}
	return shades
}

// store returns the store of a policy.
func (v view) store(policy string) store.Description {
	for _, s := range v.Stores {
		if s.Policy == policy {
			return s
		}
	}
	return store.Description{}
}

// absent returns the workload of absent keys, or nil.
func (v view) absent() *Workload {
	for i, w := range v.Workloads {
		if w.Name == ycsb.AbsentName && w.Absent > 0 && len(w.Rows) > 0 {
			return &v.Workloads[i]
		}
	}
	return nil
}

// find returns a workload's row of a lookup, the first whose policy is of a
// family.
func find(w *Workload, is func(family string) bool, lookup Lookup) *Row {
	for i, row := range w.Rows {
		if is(policy.Family(row.Policy)) && row.Lookup == string(lookup) {
			return &w.Rows[i]
		}
	}
	return nil
}

func isNone(family string) bool   { return family == "none" }
func isPebble(family string) bool { return family == policy.PebbleBloom }

// what is read by an operation of a workload.
func lookupOf(w *Workload) string {
	if w.Absent == 1 {
		return "lookup of an absent key"
	}
	return fmt.Sprintf("lookup, %.4g %% of them of absent keys", 100*w.Absent)
}

// summary says what the policy with the fewest reads saves.
func (v view) summary() string {
	w := v.absent()
	if w == nil {
		return "No lookups of absent keys were measured; the charts show what filters save in the workloads that were."
	}
	best := v.best(w)
	none := find(w, isNone, Get)
	if best == nil {
		return "No policy with a filter was measured."
	}
	filters := v.store(best.Policy).Filters
	text := fmt.Sprintf("With %s (%.1f bits per key, %s of filters) a %s through pebbleext.Reader takes %s disk reads",
		best.Policy, filters.BitsPerKey, report.Size(filters.Bytes).Human(), lookupOf(w), report.Figure(best.ReadsPerOp()))
	if none != nil {
		text += fmt.Sprintf(" instead of %s without filters", report.Figure(none.ReadsPerOp()))
	}
	if pebble := find(w, isPebble, Get); pebble != nil {
		text += fmt.Sprintf(", and %s with %s through pebble.DB.Get", report.Figure(pebble.ReadsPerOp()), pebble.Policy)
		if pebble = find(w, isPebble, Reader); pebble != nil {
			text += fmt.Sprintf(" or %s through pebbleext.Reader", report.Figure(pebble.ReadsPerOp()))
		}
	}
	if v.Interrupted {
		text += "; the run was interrupted"
	}
	return text + "."
}

// best is the row of Reader with the fewest reads, preferably Gravel's.
func (v view) best(w *Workload) *Row {
	var best *Row
	for i, row := range w.Rows {
		if row.Lookup != string(Reader) || isNone(policy.Family(row.Policy)) || isPebble(policy.Family(row.Policy)) {
			continue
		}
		if best == nil || row.ReadsPerOp() < best.ReadsPerOp() {
			best = &w.Rows[i]
		}
	}
	if best == nil {
		return find(w, isPebble, Reader)
	}
	return best
}

// main is the table that answers the question which policy to take.
func (v view) main() []report.Table {
	w := v.absent()
	if w == nil {
		return nil
	}
	t := report.Table{Caption: "Each " + lookupOf(w), Names: 2}
	t.Header = []string{"policy", "lookup", "filter memory", "bits per key", "disk reads", "KiB read",
		"against no filter", "against Pebble's own", "p50, µs", "p99, µs"}
	for _, row := range w.Rows {
		filters := v.store(row.Policy).Filters
		cells := []string{row.Policy, row.Lookup, "–", "–", report.Figure(row.ReadsPerOp()), report.Figure(row.KiBPerOp()),
			against(row, find(w, isNone, Lookup(row.Lookup))),
			against(row, find(w, isPebble, Lookup(row.Lookup))), "–", "–"}
		if filters.Bytes > 0 {
			cells[2], cells[3] = report.Size(filters.Bytes).Human(), fmt.Sprintf("%.2f", filters.BitsPerKey)
		}
		if row.Timing != nil {
			cells[8], cells[9] = microseconds(row.Timing.Latency.P50), microseconds(row.Timing.Latency.P99)
		}
		t.Rows = append(t.Rows, cells)
	}
	return []report.Table{t}
}

// against compares reads with those of another row.
func against(row Row, other *Row) string {
	if other == nil || isNone(policy.Family(row.Policy)) || other.Reads.Total.Reads == 0 {
		return "–"
	}
	if row.Policy == other.Policy {
		return "–"
	}
	change := row.ReadsPerOp()/other.ReadsPerOp() - 1
	return signedPercent(change)
}

// environment is where the run took place, and the shape of its stores.
func (v view) environment() []report.Table {
	s := v.Settings
	env := v.Environment.Table(v.Command,
		[2]any{"records", s.Records}, [2]any{"value-size", s.ValueSize},
		[2]any{"cache-size", s.CacheSize}, [2]any{"policies", strings.Join(s.Policies, " ")},
		[2]any{"workloads", strings.Join(s.Workloads, ",")}, [2]any{"operations", s.Operations},
		[2]any{"absent", s.Absent}, [2]any{"threads", s.Threads}, [2]any{"seed", s.Seed},
		[2]any{"load", s.Load}, [2]any{"direct", s.Direct}, [2]any{"sweep-cache", s.SweepCache}, [2]any{"sweep-memory", s.SweepMemory})
	env.Rows = append(env.Rows, []string{"page cache", v.pageCache()})
	return append([]report.Table{env}, v.shapes()...)
}

// pageCache says what served reads below the block cache.
func (v view) pageCache() string {
	if v.Settings.Direct {
		return "bypassed (O_DIRECT): reads are those of the device"
	}
	for i := range v.Workloads {
		if source := v.source(&v.Workloads[i]); source != "" {
			return "in use: reads were served by the " + source
		}
	}
	return "in use"
}

// shapes describes the levels of the stores.
func (v view) shapes() []report.Table {
	var tables []report.Table
	for _, s := range v.Stores {
		t := report.Table{Caption: "Levels of the store with " + s.Policy, Names: 1}
		t.Header = []string{"level", "tables", "keys", "data", "filters"}
		for _, l := range s.Levels {
			t.Rows = append(t.Rows, []string{fmt.Sprintf("L%d", l.Level), fmt.Sprint(l.Tables),
				humanize.Comma(l.Keys), report.Size(l.Bytes - l.FilterBytes).Human(), report.Size(l.FilterBytes).Human()})
		}
		tables = append(tables, t)
	}
	return tables
}

// signedPercent writes a change, without claiming more than it knows.
func signedPercent(change float64) string {
	percent := 100 * change
	if math.Abs(percent) >= 99 && percent < 0 {
		return fmt.Sprintf("−%.2f %%", -percent)
	}
	return strings.Replace(fmt.Sprintf("%+.0f %%", percent), "-", "−", 1)
}

// microseconds writes nanoseconds.
func microseconds(ns int64) string { return report.Figure(float64(ns) / 1000) }
