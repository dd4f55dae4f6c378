package html

import (
	"fmt"

	"github.com/gravelkv/gravel/benchdb/internal/bytesize"
	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/measure"
	"github.com/gravelkv/gravel/benchdb/internal/results"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Run is the report of benchdb run.
func Run(r *results.Run) Page {
	v := view{r, policyShades(r)}
	p := Page{
		Title:       "Filters in a Pebble store",
		Summary:     v.summary(),
		Tables:      v.main(),
		Environment: v.environment(),
		Data:        r,
		Name:        "benchdb-run.json",
	}
	p.Charts = append(p.Charts, v.readsByWorkload()...)
	p.Charts = append(p.Charts, v.readsByMemory()...)
	p.Charts = append(p.Charts, v.rates()...)
	p.Charts = append(p.Charts, v.latency()...)
	p.Charts = append(p.Charts, v.buildCost()...)
	p.Charts = append(p.Charts, v.cacheSweep()...)
	p.Charts = append(p.Charts, v.readsByLevel()...)
	return p
}

// view is a run seen by its page.
type view struct {
	*results.Run
	shades map[string]chart.Shade
}

// The shades of policies that every page has.
const (
	noneShade   chart.Shade = 6
	pebbleShade chart.Shade = 2
)

// policyShades gives each policy the same shade in all charts.
func policyShades(r *results.Run) map[string]chart.Shade {
	texts := make([]string, len(r.Stores))
	for i, s := range r.Stores {
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
		switch family(text) {
		case "none":
			shades[text] = noneShade
		case "pebble-bloom":
			shades[text] = pebbleShade
		default:
			shades[text] = others[next%len(others)]
			next++
		}
	}
	return shades
}

// store returns the store of a policy.
func (v view) store(policy string) results.Store {
	for _, s := range v.Stores {
		if s.Policy == policy {
			return s
		}
	}
	return results.Store{}
}

// absent returns the workload of absent keys, or nil.
func (v view) absent() *results.Workload {
	for i, w := range v.Workloads {
		if w.Name == ycsb.AbsentName && w.Absent > 0 && len(w.Rows) > 0 {
			return &v.Workloads[i]
		}
	}
	return nil
}

// find returns a workload's row of a lookup, the first whose policy is of a
// family.
func find(w *results.Workload, is func(family string) bool, lookup measure.Lookup) *results.Row {
	for i, row := range w.Rows {
		if is(family(row.Policy)) && row.Lookup == string(lookup) {
			return &w.Rows[i]
		}
	}
	return nil
}

func isNone(family string) bool   { return family == "none" }
func isPebble(family string) bool { return family == "pebble-bloom" }

func perOperation(row results.Row) float64 {
	return float64(row.Reads.Total.Reads) / float64(row.Operations)
}

// what is read by an operation of a workload.
func lookupOf(w *results.Workload) string {
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
	none := find(w, isNone, measure.Get)
	if best == nil {
		return "No policy with a filter was measured."
	}
	filters := v.store(best.Policy).Filters
	text := fmt.Sprintf("With %s (%.1f bits per key, %s of filters) a %s through pebbleext.Reader takes %s disk reads",
		best.Policy, filters.BitsPerKey, size(filters.Bytes), lookupOf(w), figure(perOperation(*best)))
	if none != nil {
		text += fmt.Sprintf(" instead of %s without filters", figure(perOperation(*none)))
	}
	if pebble := find(w, isPebble, measure.Get); pebble != nil {
		text += fmt.Sprintf(", and %s with %s through pebble.DB.Get", figure(perOperation(*pebble)), pebble.Policy)
		if pebble = find(w, isPebble, measure.Reader); pebble != nil {
			text += fmt.Sprintf(" or %s through pebbleext.Reader", figure(perOperation(*pebble)))
		}
	}
	if v.Interrupted {
		text += "; the run was interrupted"
	}
	return text + "."
}

// best is the row of Reader with the fewest reads, preferably Gravel's.
func (v view) best(w *results.Workload) *results.Row {
	var best *results.Row
	for i, row := range w.Rows {
		if row.Lookup != string(measure.Reader) || isNone(family(row.Policy)) || isPebble(family(row.Policy)) {
			continue
		}
		if best == nil || perOperation(row) < perOperation(*best) {
			best = &w.Rows[i]
		}
	}
	if best == nil {
		return find(w, isPebble, measure.Reader)
	}
	return best
}

// main is the table that answers the question which policy to take.
func (v view) main() []Table {
	w := v.absent()
	if w == nil {
		return nil
	}
	t := Table{Caption: "Each " + lookupOf(w), Names: 2}
	t.Header = []string{"policy", "lookup", "filter memory", "bits per key", "disk reads",
		"against no filter", "against Pebble's own", "p50, µs", "p99, µs"}
	for _, row := range w.Rows {
		filters := v.store(row.Policy).Filters
		cells := []string{row.Policy, row.Lookup, "–", "–", figure(perOperation(row)),
			against(row, find(w, isNone, measure.Lookup(row.Lookup))),
			against(row, find(w, isPebble, measure.Lookup(row.Lookup))), "–", "–"}
		if filters.Bytes > 0 {
			cells[2], cells[3] = size(filters.Bytes), fmt.Sprintf("%.2f", filters.BitsPerKey)
		}
		if row.Timing != nil {
			cells[7], cells[8] = microseconds(row.Timing.Latency.P50), microseconds(row.Timing.Latency.P99)
		}
		t.Rows = append(t.Rows, cells)
	}
	return []Table{t}
}

// against compares reads with those of another row.
func against(row results.Row, other *results.Row) string {
	if other == nil || isNone(family(row.Policy)) || other.Reads.Total.Reads == 0 {
		return "–"
	}
	if row.Policy == other.Policy {
		return "–"
	}
	change := perOperation(row)/perOperation(*other) - 1
	return signedPercent(change)
}

func size(n int64) string { return bytesize.Size(n).Human() }
