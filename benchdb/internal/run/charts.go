package run

import (
	"fmt"
	"slices"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// ReadsByWorkload compares policies in every workload, with a chart for each of
// the two usual lookups.
func (m Measured) ReadsByWorkload() []chart.Chart {
	return []chart.Chart{
		m.readsThrough(Get, "pebble.DB.Get, which asks no filter of L6"),
		m.readsThrough(Reader, "pebbleext.Reader, which asks the filters of all levels"),
	}
}

func (m Measured) readsThrough(lookup Lookup, explained string) chart.Chart {
	bars := chart.Bars{Categories: "workload", Values: "disk reads per operation"}
	shades := m.shades()
	for _, s := range m.Stores {
		bars.Series = append(bars.Series, chart.BarSeries{Name: s.Policy, Shade: shades[s.Policy]})
	}
	for _, w := range m.Workloads {
		rows := w.of(lookup)
		if len(rows) == 0 {
			continue
		}
		reads := make([]float64, len(m.Stores)) // 0 where a run was interrupted
		for i, s := range m.Stores {
			if row := w.Row(s.Policy, lookup); row != nil {
				reads[i] = row.ReadsPerOp()
			}
		}
		bars.Add(w.label(), reads...)
	}
	return chart.Chart{
		Title: fmt.Sprintf("Disk reads per operation through %s", lookup), Figure: bars,
		Text: fmt.Sprintf("Reads of .sst files below the block cache, for each workload and policy, through %s. Lower is better. Scans (E) ask no filter.", explained),
	}
}

// label is a short name of the workload.
func (w Workload) label() string {
	if w.Threads > 1 {
		return fmt.Sprintf("%s, %d threads", w.Name, w.Threads)
	}
	return w.Name
}

// throughput shows what more threads bring, with a chart for each workload.
func (r *Result) throughput() (charts []chart.Chart) {
	if len(r.Settings.Threads) < 2 {
		return nil
	}
	shades := r.shades()
	for _, first := range r.swept() {
		plot := chart.XY{X: chart.Axis{Label: "threads"}, Y: chart.Axis{Label: "operations per second", Zero: true}}
		for _, n := range r.Settings.Threads {
			plot.X.Ticks = append(plot.X.Ticks, chart.Tick{Value: float64(n), Label: n.String()})
		}
		for _, w := range r.Workloads {
			if w.Name != first.Name {
				continue
			}
			for _, row := range w.Rows {
				if row.Timing != nil && (row.Lookup == Get || row.Lookup == Reader) {
					s := plot.Of(row.name())
					s.Shade, s.Line, s.Marks, s.Dashed = shades[row.Policy], true, true, row.Lookup == Get
					s.Points = append(s.Points, chart.Point{X: float64(w.Threads), Y: row.Timing.OperationsPerS})
				}
			}
		}
		charts = append(charts, chart.Chart{
			Title: "Operations per second against threads, " + first.mix(), Figure: plot,
			Text: "Through pebble.DB.Get (dashed) and pebbleext.Reader. Higher is better.",
		})
	}
	return charts
}

// readsByMemory puts what was measured on what the families' rates let expect.
func (r *Result) readsByMemory() chart.Chart {
	w := r.absent()
	queries, keys := w.queriesPerLookup(), r.filteredKeys()
	if queries == 0 || keys == 0 {
		return chart.Chart{}
	}
	unit, name := byteUnit(keys * 20 / 8)
	figure := chart.XY{
		X: chart.Axis{Label: "filter memory, " + name},
		Y: chart.Axis{Label: "disk reads per lookup", Log: true},
	}
	for _, curve := range r.Rates {
		s := curve.Series()
		for i, p := range s.Points {
			s.Points[i] = chart.Point{X: p.X * keys / 8 / unit, Y: queries * p.Y / 100}
		}
		figure.Series = append(figure.Series, s)
	}
	shades := r.shades()
	for _, row := range w.of(Reader) {
		if f := r.filtersOf(row); f.Bytes > 0 {
			figure.Series = append(figure.Series,
				chart.Mark(row.Policy+", measured", shades[row.Policy], float64(f.Bytes)/unit, row.ReadsPerOp()))
		}
	}
	return chart.Chart{
		Title: "Disk reads against filter memory", Figure: figure,
		Text: fmt.Sprintf("Each %s through pebbleext.Reader. Points are measured; lines are %.2f queries per lookup times the family's false-positive rate, as if no block were cached. The nearer to the lower left, the better.",
			w.lookup(), queries),
	}
}

// queriesPerLookup is how often a lookup of Reader asks a filter that does not
// hold its key.
func (w Workload) queriesPerLookup() float64 {
	for _, row := range w.of(Reader) {
		if n := row.Queries.TrueNegatives + row.Queries.FalsePositives; n > 0 {
			return float64(n) / float64(row.Operations)
		}
	}
	return 0
}

// filteredKeys is the number of keys in the filters of a store that has them on
// all levels.
func (r *Result) filteredKeys() float64 {
	keys := int64(0)
	for _, s := range r.Stores {
		sum := int64(0)
		for _, l := range s.Levels {
			if l.FilterBytes > 0 {
				sum += l.Keys
			}
		}
		keys = max(keys, sum)
	}
	return float64(keys)
}

// byteUnit picks the unit in which a size has few digits.
func byteUnit(size float64) (unit float64, name string) {
	unit, name = 1<<10, "KiB"
	for _, next := range []string{"MiB", "GiB", "TiB"} {
		if size < 4096*unit {
			break
		}
		unit, name = unit*1024, next
	}
	return unit, name
}

// rates compares families, and the policies of the run among them.
func (r *Result) rates() chart.Chart {
	var points []chart.Series
	shades := r.shades()
	for _, row := range r.absent().of(Reader) {
		if f := r.filtersOf(row); row.Queries.FPR != nil && f.Bytes > 0 {
			points = append(points, chart.Mark(row.Policy+", in the store", shades[row.Policy], f.BitsPerKey, 100**row.Queries.FPR))
		}
	}
	return policy.RateChart(r.Rates, points...)
}

// latency compares the time of lookups.
func (r *Result) latency() chart.Chart {
	w := r.absent()
	bars := chart.Bars{
		Values: "latency, µs", Horizontal: true,
		Series: []chart.BarSeries{{Name: "median", Shade: 1}, {Name: "99th percentile", Shade: 5}},
	}
	for _, row := range slices.Backward(w.Rows) { // the first on top
		if t := row.Timing; t != nil {
			bars.Add(row.name(), float64(t.Latency.P50)/1000, float64(t.Latency.P99)/1000)
		}
	}
	return chart.Chart{
		Title: "Latency", Figure: bars,
		Text: fmt.Sprintf("Each %s, reads served by the %s. Lower is better.", w.lookup(), w.source()),
	}
}

// buildCost compares the time of building filters.
func (r *Result) buildCost() chart.Chart {
	bars := chart.Bars{
		Values: "ns per key", Horizontal: true,
		Series: []chart.BarSeries{{Name: "build time, ns per key", Shade: 1}},
	}
	for _, s := range slices.Backward(r.Stores) {
		if build := s.Filters.Build; build.Keys > 0 {
			bars.Add(s.Policy, build.PerKey())
		}
	}
	return chart.Chart{
		Title: "Build cost", Figure: bars,
		Text: "Time to add a key to a filter and finish its block, over all tables of the load. Lower is better.",
	}
}

// sweeps show where the data fit the cache, so that filters save nothing, and
// where filters do not.
func (r *Result) sweeps() (charts []chart.Chart) {
	data := int64(0)
	for _, s := range r.Stores {
		data = max(data, s.Bytes)
	}
	cacheText := fmt.Sprintf("Through pebbleext.Reader, with a warm cache. The tables take %s; filters save reads until the cache holds the blocks that lookups ask for. A logarithmic scale has no zero.",
		report.Size(data).Human())
	memoryText := fmt.Sprintf("With block caches from a sixteenth of the largest filters, %s, to twice as much, for: no filter and Pebble's own with pebble.DB.Get, Pebble's own with an iterator that uses the filters of L6, and Gravel with pebbleext.Reader, also with three quarters of that memory for resident filters. Lower is better.",
		report.Size(r.FilterBytes()).Human())
	for _, w := range r.swept() {
		cache, memory := ofWorkload(r.CacheSweep, w), ofWorkload(r.MemorySweep, w)
		charts = append(charts,
			chart.Chart{
				Title: "Disk reads against block cache, " + w.name(), Text: cacheText,
				Figure: r.sweep(cache, "disk reads per lookup", SweepRow.ReadsPerOp),
			},
			chart.Chart{
				Title: "Bytes read against memory for filters, " + w.name(), Text: memoryText,
				Figure: r.sweep(memory, "KiB read per lookup", SweepRow.KiBPerOp),
			},
			chart.Chart{
				Title: "Time against memory for filters, " + w.name(), Text: memoryText,
				Figure: r.sweep(memory, "time of a lookup, µs", SweepRow.microseconds),
			})
	}
	return charts
}

// sweep draws a curve for each policy and lookup.
func (r *Result) sweep(rows []SweepRow, label string, figure func(SweepRow) float64) chart.XY {
	shades := r.shades()
	plot := chart.XY{X: chart.Axis{Label: "block cache", Log: true}, Y: chart.Axis{Label: label, Log: true}}
	for _, row := range rows {
		name, x, tick := row.Policy, float64(row.CacheSize), cacheSize(row)
		if row.Ratio > 0 {
			name, x, tick = row.name(), row.Ratio, row.ratio()
			plot.X.Label = "block cache and filter memory, in multiples of the filters"
		}
		s := plot.Of(name)
		s.Shade, s.Line, s.Marks = shades[row.Policy], true, true
		s.Dashed = row.Lookup == L6Filters || row.Lookup == Resident
		s.Points = append(s.Points, chart.Point{X: x, Y: figure(row)})
		if name == plot.Series[0].Name {
			plot.X.Ticks = append(plot.X.Ticks, chart.Tick{Value: x, Label: tick})
		}
	}
	return plot
}

// readsByLevel places the reads of absent keys, with a chart for each policy,
// because their scales differ.
func (r *Result) readsByLevel() (charts []chart.Chart) {
	w := r.absent()
	for _, row := range w.of(Reader) {
		charts = append(charts, chart.Chart{
			Title: "Reads by level and block: " + row.Policy, Figure: byLevel(row),
			Text: fmt.Sprintf("Each %s through pebbleext.Reader, %s disk reads in all. Scales differ between policies.",
				w.lookup(), report.Figure(row.ReadsPerOp())),
		})
	}
	return charts
}

func byLevel(row Row) chart.Bars {
	bars := chart.Bars{
		Categories: "level", Values: "disk reads per lookup", Stacked: true,
		Series: []chart.BarSeries{{Name: "data", Shade: 1}, {Name: "index", Shade: 2}, {Name: "filter", Shade: 3}, {Name: "other", Shade: 4}},
	}
	for _, l := range row.Reads.ByLevel {
		bars.Add(fmt.Sprintf("L%d", l.Level), row.perOp(l.Data), row.perOp(l.Index), row.perOp(l.Filter), row.perOp(l.Other))
	}
	return bars
}
