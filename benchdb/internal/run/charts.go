package run

import (
	"fmt"
	"slices"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// ReadsByWorkload compares policies in every workload, with a chart for each
// lookup that all workloads have.
func (m Measured) ReadsByWorkload() []chart.Chart {
	return slices.Concat(
		m.byWorkload(Get, "pebble.DB.Get, which asks no filter of L6"),
		m.byWorkload(Reader, "pebbleext.Reader, which asks the filters of all levels"),
	)
}

func (m Measured) byWorkload(lookup Lookup, explained string) []chart.Chart {
	bars := chart.Bars{Categories: "workload", Values: "disk reads per operation"}
	for _, w := range m.Workloads {
		if find(&w, func(string) bool { return true }, lookup) != nil {
			bars.Names = append(bars.Names, w.Name)
		}
	}
	if len(bars.Names) == 0 {
		return nil
	}
	shades := m.shades()
	for _, s := range m.Stores {
		series := chart.BarSeries{Name: s.Policy, Shade: shades[s.Policy]}
		for _, w := range m.Workloads {
			if row := find(&w, func(string) bool { return true }, lookup); row == nil {
				continue
			}
			reads := 0.0
			for _, row := range w.Rows {
				if row.Policy == s.Policy && row.Lookup == string(lookup) {
					reads = row.ReadsPerOp()
				}
			}
			series.Values = append(series.Values, reads)
		}
		bars.Series = append(bars.Series, series)
	}
	return []chart.Chart{{
		Title: fmt.Sprintf("Disk reads per operation through %s", lookup),
		Text: fmt.Sprintf("Reads of .sst files below the block cache, for each workload and policy, through %s. Lower is better. Scans (E) ask no filter.",
			explained),
		Figure: bars,
	}}
}

// readsByMemory puts what was measured on what the families' rates let expect.
func (v view) readsByMemory() []chart.Chart {
	w := v.absent()
	if w == nil {
		return nil
	}
	probes, keys := v.probesPerLookup(w), v.filteredKeys()
	if probes == 0 || keys == 0 {
		return nil
	}
	unit, name := byteUnit(keys * 20 / 8)
	figure := chart.XY{
		X: chart.Axis{Label: "filter memory, " + name},
		Y: chart.Axis{Label: "disk reads per " + "lookup", Log: true},
	}
	for _, curve := range v.Rates {
		s := curve.Series()
		for i, p := range s.Points {
			s.Points[i] = chart.Point{X: p.X * keys / 8 / unit, Y: probes * p.Y / 100}
		}
		figure.Series = append(figure.Series, s)
	}
	for _, row := range w.Rows {
		if f := v.store(row.Policy).Filters; row.Lookup == string(Reader) && f.Bytes > 0 {
			figure.Series = append(figure.Series, chart.Series{
				Name: row.Policy + ", measured", Shade: v.shades[row.Policy], Marks: true,
				Points: []chart.Point{{X: float64(f.Bytes) / unit, Y: row.ReadsPerOp()}},
			})
		}
	}
	return []chart.Chart{{
		Title: "Disk reads against filter memory",
		Text: fmt.Sprintf("Each %s through pebbleext.Reader. Points are measured; lines are %.2f probes per lookup times the family's false-positive rate, as if no block were cached. The nearer to the lower left, the better.",
			lookupOf(w), probes),
		Figure: figure,
	}}
}

// probesPerLookup is how often a lookup of Reader asks a filter that does not
// hold its key.
func (v view) probesPerLookup(w *Workload) float64 {
	for _, row := range w.Rows {
		if n := row.Queries.TrueNegatives + row.Queries.FalsePositives; row.Lookup == string(Reader) && n > 0 {
			return float64(n) / float64(row.Operations)
		}
	}
	return 0
}

// filteredKeys is the number of keys in the filters of a store that has them on
// all levels.
func (v view) filteredKeys() float64 {
	keys := int64(0)
	for _, s := range v.Stores {
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
func (v view) rates() []chart.Chart {
	var points []chart.Series
	if w := v.absent(); w != nil {
		for _, row := range w.Rows {
			f := v.store(row.Policy).Filters
			if row.Lookup == string(Reader) && row.Queries.FPR != nil && f.Bytes > 0 {
				points = append(points, chart.Series{
					Name: row.Policy + ", in the store", Shade: v.shades[row.Policy], Marks: true,
					Points: []chart.Point{{X: f.BitsPerKey, Y: 100 * *row.Queries.FPR}},
				})
			}
		}
	}
	return policy.RateChart(v.Rates, points...)
}

// latency compares the time of lookups.
func (v view) latency() []chart.Chart {
	w := v.absent()
	if w == nil {
		return nil
	}
	bars := chart.Bars{Categories: "", Values: "latency, µs", Horizontal: true}
	p50 := chart.BarSeries{Name: "median", Shade: 1}
	p99 := chart.BarSeries{Name: "99th percentile", Shade: 5}
	for _, row := range slices.Backward(w.Rows) { // the first on top
		if row.Timing == nil {
			continue
		}
		bars.Names = append(bars.Names, row.Policy+" "+row.Lookup)
		p50.Values = append(p50.Values, float64(row.Timing.Latency.P50)/1000)
		p99.Values = append(p99.Values, float64(row.Timing.Latency.P99)/1000)
	}
	if len(bars.Names) == 0 {
		return nil
	}
	bars.Series = []chart.BarSeries{p50, p99}
	return []chart.Chart{{
		Title: "Latency", Figure: bars,
		Text: fmt.Sprintf("Each %s, reads served by the %s. Lower is better.", lookupOf(w), v.source(w)),
	}}
}

// source is what served the reads of a workload that was timed.
func (v view) source(w *Workload) string {
	source := ""
	for _, row := range w.Rows {
		if row.Timing != nil && (source == "" || row.Timing.Source == Both) {
			source = row.Timing.Source
		}
	}
	return source
}

// buildCost compares the time of building filters.
func (v view) buildCost() []chart.Chart {
	bars := chart.Bars{Values: "ns per key", Horizontal: true}
	series := chart.BarSeries{Name: "build time, ns per key", Shade: 1}
	for _, s := range slices.Backward(v.Stores) {
		if build := s.Filters.Build; build.Keys > 0 {
			bars.Names = append(bars.Names, s.Policy)
			series.Values = append(series.Values, float64(build.Time.Nanoseconds())/float64(build.Keys))
		}
	}
	if len(bars.Names) == 0 {
		return nil
	}
	bars.Series = []chart.BarSeries{series}
	return []chart.Chart{{
		Title: "Build cost", Figure: bars,
		Text: "Time to add a key to a filter and finish its block, over all tables of the load. Lower is better.",
	}}
}

// sweeps show where the data fit the cache, so that filters save nothing, and
// where filters do not.
func (v view) sweeps() []chart.Chart {
	var charts []chart.Chart
	data, filters := int64(0), int64(0)
	for _, s := range v.Stores {
		data, filters = max(data, s.Bytes), max(filters, s.Filters.Bytes)
	}
	memory := fmt.Sprintf("With block caches from a sixteenth of the largest filters, %s, to twice as much, for: no filter and Pebble's own with pebble.DB.Get, Pebble's own with an iterator that uses the filters of L6, and Gravel with pebbleext.Reader, also with three quarters of that memory for resident filters. Lower is better.",
		report.Size(filters).Human())
	for _, w := range v.Workloads {
		cache := ofWorkload(v.CacheSweep, w)
		charts = append(charts, v.sweep("Disk reads against block cache, "+workloadTitle(w),
			fmt.Sprintf("Through pebbleext.Reader, with a warm cache. The tables take %s; filters save reads until the cache holds the blocks that lookups ask for. A logarithmic scale has no zero.", report.Size(data).Human()),
			"disk reads per lookup", cache, SweepRow.ReadsPerOp)...)
		rows := ofWorkload(v.MemorySweep, w)
		charts = append(charts, v.sweep("Bytes read against memory for filters, "+workloadTitle(w), memory,
			"KiB read per lookup", rows, SweepRow.KiBPerOp)...)
		charts = append(charts, v.sweep("Time against memory for filters, "+workloadTitle(w), memory,
			"time of a lookup, µs", rows, SweepRow.microseconds)...)
	}
	return charts
}

// sweep draws a curve for each policy and lookup.
func (v view) sweep(title, text, label string, rows []SweepRow, figure func(SweepRow) float64) []chart.Chart {
	plot := chart.XY{X: chart.Axis{Label: "block cache", Log: true}, Y: chart.Axis{Label: label, Log: true}}
	for _, row := range rows {
		name, x, tick := row.Policy, float64(row.CacheSize), report.Size(row.CacheSize).String()
		if row.Ratio > 0 {
			name, x, tick = row.Policy+" "+row.Lookup, row.Ratio, ratio(row)
			plot.X.Label = "block cache and filter memory, in multiples of the filters"
		}
		i := slices.IndexFunc(plot.Series, func(s chart.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(plot.Series)
			plot.Series = append(plot.Series, chart.Series{Name: name, Shade: v.shades[row.Policy], Line: true, Marks: true, Dashed: row.Lookup == string(L6Filters) || row.Lookup == string(Resident)})
		}
		if i == 0 {
			plot.X.Ticks = append(plot.X.Ticks, chart.Tick{Value: x, Label: tick})
		}
		plot.Series[i].Points = append(plot.Series[i].Points, chart.Point{X: x, Y: figure(row)})
	}
	if len(plot.Series) == 0 {
		return nil
	}
	return []chart.Chart{{Title: title, Text: text, Figure: plot}}
}

func workloadTitle(w Workload) string {
	if w.Name == ycsb.AbsentName {
		return "absent keys"
	}
	return "YCSB " + w.Name
}

// readsByLevel places the reads of absent keys, with a chart for each policy,
// because their scales differ.
func (v view) readsByLevel() []chart.Chart {
	w := v.absent()
	if w == nil {
		return nil
	}
	var charts []chart.Chart
	for _, row := range w.Rows {
		if row.Lookup != string(Reader) || len(row.Reads.ByLevel) == 0 {
			continue
		}
		charts = append(charts, chart.Chart{
			Title: "Reads by level and block: " + row.Policy, Figure: byLevel(row),
			Text: fmt.Sprintf("Each %s through pebbleext.Reader, %s disk reads in all. Scales differ between policies.",
				lookupOf(w), report.Figure(row.ReadsPerOp())),
		})
	}
	return charts
}

func byLevel(row Row) chart.Bars {
	bars := chart.Bars{Categories: "level", Values: "disk reads per lookup", Stacked: true}
	kinds := []struct {
		name string
		of   func(LevelReads) diskio.Count
	}{
		{"data", func(l LevelReads) diskio.Count { return l.Data }},
		{"index", func(l LevelReads) diskio.Count { return l.Index }},
		{"filter", func(l LevelReads) diskio.Count { return l.Filter }},
		{"other", func(l LevelReads) diskio.Count { return l.Other }},
	}
	for i, kind := range kinds {
		s := chart.BarSeries{Name: kind.name, Shade: chart.Shade(i + 1)}
		for _, l := range row.Reads.ByLevel {
			s.Values = append(s.Values, float64(kind.of(l).Reads)/float64(row.Operations))
		}
		bars.Series = append(bars.Series, s)
	}
	for _, l := range row.Reads.ByLevel {
		bars.Names = append(bars.Names, fmt.Sprintf("L%d", l.Level))
	}
	return bars
}
