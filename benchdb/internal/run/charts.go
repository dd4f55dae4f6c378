package run

import (
	"fmt"
	"slices"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// mostBars is how many groups of bars fit beside each other with their names.
const mostBars = 8

// answers compares reads and times of the contest, in every workload.
func (r *Result) answers() []chart.Chart {
	text := fmt.Sprintf(" for each workload: no filter and %s by pebble.DB.Get, the latter by an iterator with UseL6Filters (+L6), and %s by pebbleext.DB. Lower is better.",
		first(r.Settings.Policies, isPebble), first(r.Settings.Policies, isGravel))
	return []chart.Chart{
		{Title: "Disk reads of an operation", Text: "Reads of .sst files below the block cache," + text, Figure: r.bars("disk reads", Cost.ReadsPerOp)},
		{Title: "Median time of an operation", Text: "Microseconds," + text, Figure: r.bars("median, µs", nil)},
	}
}

// bars draws a figure of the contest, the median time if it is nil.
func (r *Result) bars(values string, figure func(Cost) float64) chart.Bars {
	bars := chart.Bars{
		Categories: "workload", Values: values, Horizontal: len(r.Workloads) > mostBars,
		Series: []chart.BarSeries{{Name: "none", Shade: noneShade}, {Name: "Bloom", Shade: policy.PebbleShade}, {Name: "+L6", Shade: 5}, {Name: "Gravel", Shade: 1}},
	}
	answer := NewAnswer(nil, r.Settings)
	for _, w := range r.Workloads {
		c := answerOf(w)
		var all []float64
		for _, row := range []*Row{c.none, c.pebble, c.l6, c.gravel} {
			value := 0.0
			switch {
			case row == nil:
			case figure == nil:
				value = row.microseconds()
			default:
				value = figure(row.Cost)
			}
			all = append(all, value)
		}
		if slices.Max(all) > 0 {
			bars.Add(answer.label(w), all...)
		}
	}
	return bars
}

// throughput shows what more threads bring, with a chart for each workload.
func (r *Result) throughput() (charts []chart.Chart) {
	if len(r.Settings.Threads) < 2 {
		return nil
	}
	shades := r.shades()
	for _, first := range r.distinct(func(w Workload) string { return w.Name + w.Memory.String() }) {
		plot := chart.XY{X: chart.Axis{Label: "threads"}, Y: chart.Axis{Label: "operations per second", Zero: true}}
		for _, n := range r.Settings.Threads {
			plot.X.Ticks = append(plot.X.Ticks, chart.Tick{Value: float64(n), Label: n.String()})
		}
		for _, w := range r.Workloads {
			if w.Name != first.Name || w.Memory != first.Memory {
				continue
			}
			for _, row := range w.Rows {
				if row.Timing != nil {
					add(&plot, row, shades[row.Policy], float64(w.Threads), row.Timing.OperationsPerS)
				}
			}
		}
		charts = append(charts, chart.Chart{
			Title: "Operations per second against threads, " + first.mix(), Figure: plot,
			Text: "For each policy and lookup. Higher is better.",
		})
	}
	return charts
}

// distinct are the workloads that a key tells apart.
func (r *Result) distinct(key func(Workload) string) (all []Workload) {
	for _, w := range r.Workloads {
		if !slices.ContainsFunc(all, func(other Workload) bool { return key(other) == key(w) }) {
			all = append(all, w)
		}
	}
	return all
}

// byMemory shows what more memory brings, with charts for each workload.
func (r *Result) byMemory() (charts []chart.Chart) {
	if len(r.Settings.Memory) < 2 {
		return nil
	}
	for _, first := range r.distinct(func(w Workload) string { return w.Name + fmt.Sprint(w.Threads) }) {
		for _, c := range []struct {
			title, label string
			figure       func(Row) float64
		}{
			{"Disk reads", "disk reads per operation", func(r Row) float64 { return r.ReadsPerOp() }},
			{"Bytes read", "KiB read per operation", func(r Row) float64 { return r.KiBPerOp() }},
			{"Median time", "time of an operation, µs", Row.microseconds},
		} {
			charts = append(charts, chart.Chart{
				Title: c.title + " against memory, " + first.name(), Figure: r.memoryPlot(first, c.label, c.figure),
				Text: "Memory is that of the block cache and of the filters in memory together, the same for each. Lower is better.",
			})
		}
	}
	return charts
}

func (r *Result) memoryPlot(of Workload, label string, figure func(Row) float64) chart.XY {
	shades := r.shades()
	plot := chart.XY{X: chart.Axis{Label: "memory", Log: true}, Y: chart.Axis{Label: label, Log: true}}
	for _, size := range r.Settings.Memory {
		plot.X.Ticks = append(plot.X.Ticks, chart.Tick{Value: float64(size), Label: size.String()})
	}
	for _, w := range r.Workloads {
		if w.Name != of.Name || w.Threads != of.Threads {
			continue
		}
		for _, row := range w.Rows {
			add(&plot, row, shades[row.Policy], float64(w.Memory), figure(row))
		}
	}
	return plot
}

// add adds a point to the series of a row.
func add(plot *chart.XY, row Row, shade chart.Shade, x, y float64) {
	s := plot.Of(row.name())
	s.Shade, s.Line, s.Marks, s.Dashed = shade, true, true, row.Lookup == Get
	s.Points = append(s.Points, chart.Point{X: x, Y: y})
}

// readsByLevel places the reads of absent keys, with a chart for each policy,
// because their scales differ.
func (r *Result) readsByLevel() (charts []chart.Chart) {
	w := r.absent()
	for _, row := range w.Rows {
		charts = append(charts, chart.Chart{
			Title: "Reads by level and block: " + row.name(), Figure: byLevel(row),
			Text: fmt.Sprintf("Each %s, %s disk reads in all. Scales differ.",
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
