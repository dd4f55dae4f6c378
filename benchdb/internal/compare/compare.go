package compare

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// confidence is how often an interval holds a median.
const confidence = 0.95

// Row compares a figure of two groups.
type Row struct {
	Metric, Of string
	Old, New   benchmath.Summary
	// Change is the relative change of the medians: 0.1 is 10 % more. It is not
	// finite if the old median is 0 and the new one is not.
	Change     float64
	Comparison benchmath.Comparison
	// Unlike tells that settings which shape the figure differ, so that a change
	// says nothing.
	Unlike bool
}

// Significant reports whether the groups differ, and neither by chance nor by
// their settings. Exact counts have neither a P nor an Alpha.
func (r Row) Significant() bool {
	return !r.Unlike && r.Comparison.P <= r.Comparison.Alpha && r.Change != 0
}

// Worse reports whether the new group is worse by more than a share.
func (r Row) Worse(threshold float64) bool { return r.Significant() && r.Change > threshold }

// Compare compares what both groups measured.
func Compare(old, new Group) []Row {
	condense := min(len(old.files), len(new.files)) >= enoughFiles
	order, oldValues := old.samples(condense)
	_, newValues := new.samples(condense)
	differences := old.Differences(new)
	var rows []Row
	for _, key := range order {
		if values, ok := newValues[key]; ok {
			row := compare(key, oldValues[key], values)
			row.Unlike = slices.ContainsFunc(differences, func(d Difference) bool { return key.shapedBy(d.Setting) })
			rows = append(rows, row)
		}
	}
	return rows
}

func compare(key series, old, new []float64) Row {
	assumption := benchmath.Assumption(benchmath.AssumeNothing)
	if counts[key.metric] && constant(old) && constant(new) {
		assumption = benchmath.AssumeExact
	}
	thresholds := benchmath.DefaultThresholds
	a := benchmath.NewSample(slices.Clone(old), &thresholds)
	b := benchmath.NewSample(slices.Clone(new), &thresholds)
	row := Row{Metric: key.metric, Of: key.of, Comparison: assumption.Compare(a, b)}
	row.Old, row.New = assumption.Summary(a, confidence), assumption.Summary(b, confidence)
	if row.Old.Center != row.New.Center {
		row.Change = row.New.Center/row.Old.Center - 1
	}
	if math.IsNaN(row.Change) {
		row.Change = 0
	}
	return row
}

func constant(values []float64) bool { return slices.Min(values) == slices.Max(values) }
