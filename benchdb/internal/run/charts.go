package run

import (
	"fmt"
	"slices"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
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

// againstMemory shows what more memory brings to each workload.
func (r *Result) againstMemory() []chart.Chart {
	x := chart.Axis{Label: "memory", Log: true}
	for _, size := range r.Settings.Memory {
		x.Ticks = append(x.Ticks, chart.Tick{Value: float64(size), Label: size.String()})
	}
	const text = "Memory is that of the block cache and of the filters in memory together, the same for each. Lower is better."
	plot := func(title, label string, figure func(Row) float64) []chart.Chart {
		return r.plots(title+" against memory", text, x, chart.Axis{Label: label, Log: true},
			Outcome.name, func(w Outcome) float64 { return float64(w.Memory) }, figure)
	}
	return append(plot("Disk reads", "disk reads per operation", func(r Row) float64 { return r.ReadsPerOp() }),
		plot("Median time", "time of an operation, µs", Row.microseconds)...)
}

// againstThreads shows what more threads bring to each workload.
func (r *Result) againstThreads() []chart.Chart {
	x := chart.Axis{Label: "threads"}
	for _, n := range r.Settings.Threads {
		x.Ticks = append(x.Ticks, chart.Tick{Value: float64(n), Label: n.String()})
	}
	return r.plots("Operations per second against threads", "For each policy and lookup. Higher is better.",
		x, chart.Axis{Label: "operations per second", Zero: true},
		func(w Outcome) string { return w.mix() + ", " + w.Memory.String() },
		func(w Outcome) float64 { return float64(w.Threads) },
		func(r Row) float64 {
			if r.Timing == nil {
				return 0
			}
			return r.Timing.OperationsPerS
		})
}

// plots draws a figure of the rows over what the workloads of one name differ in.
func (r *Result) plots(title, text string, x, y chart.Axis, name func(Outcome) string, at func(Outcome) float64, figure func(Row) float64) (charts []chart.Chart) {
	shades, plots := r.shades(), map[string]*chart.XY{}
	for _, w := range r.Workloads {
		plot := plots[name(w)]
		if plot == nil {
			plot = &chart.XY{X: x, Y: y}
			plots[name(w)] = plot
			charts = append(charts, chart.Chart{Title: title + ", " + name(w), Text: text, Figure: plot})
		}
		for _, row := range w.Rows {
			s := plot.Of(row.name())
			s.Shade, s.Line, s.Marks, s.Dashed = shades[row.Policy], true, true, row.Lookup == Get
			s.Points = append(s.Points, chart.Point{X: at(w), Y: figure(row)})
		}
	}
	return charts
}
