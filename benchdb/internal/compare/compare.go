package compare

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/gravelkv/gravel/benchdb/internal/report"
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
// their settings. Exact counts have neither a P nor an Alpha. What is written as
// 0.0 % is no difference.
func (r Row) Significant() bool {
	const least = 0.0005
	return !r.Unlike && r.Comparison.P <= r.Comparison.Alpha && math.Abs(r.Change) >= least
}

// Worse reports whether the new group is worse by more than a share.
func (r Row) Worse(threshold float64) bool { return r.Significant() && r.Change > threshold }

// Compare compares what both groups measured.
func Compare(old, new Group) []Row {
	condense := min(len(old.files), len(new.files)) >= enoughFiles
	order, oldValues := old.samples(condense)
	_, newValues := new.samples(condense)
	differences := old.Differences(new)
	otherSeed := slices.ContainsFunc(differences, func(d Difference) bool { return d.Setting == "seed" })
	var rows []Row
	for _, key := range order {
		if values, ok := newValues[key]; ok {
			row := compare(oldValues[key], values, otherSeed)
			row.Unlike = slices.ContainsFunc(differences, func(d Difference) bool { return shapedBy(values, d.Setting) })
			rows = append(rows, row)
		}
	}
	return rows
}

func compare(old, new report.Sample, otherSeed bool) Row {
	assumption := benchmath.Assumption(benchmath.AssumeNothing)
	count := old.Count && !old.Varies
	if count && constant(old.Values) && constant(new.Values) {
		assumption = benchmath.AssumeExact
	}
	thresholds := benchmath.DefaultThresholds
	a := benchmath.NewSample(slices.Clone(old.Values), &thresholds)
	b := benchmath.NewSample(slices.Clone(new.Values), &thresholds)
	_, of := old.Words()
	row := Row{Metric: old.Metric, Of: strings.Join(of, " "), Comparison: assumption.Compare(a, b)}
	row.Old, row.New = assumption.Summary(a, confidence), assumption.Summary(b, confidence)
	if row.Old.Center != row.New.Center {
		row.Change = row.New.Center/row.Old.Center - 1
	}
	if math.IsNaN(row.Change) {
		row.Change = 0
	}
	if count && (otherSeed || !old.Repeats || !new.Repeats) && old.Events+new.Events > 0 {
		row.byChance(old.Events, new.Events)
	}
	return row
}

const (
	// together is in how large groups what is counted comes at most, about: a
	// lookup that one filter lets pass reads a block of the index and one of data.
	together = 2
	// alpha is the chance of a false alarm for a count. A comparison has a hundred
	// of them.
	alpha = 0.001
)

// byChance judges counts of so many random events by the normal law.
func (r *Row) byChance(old, new float64) {
	deviation := func(s *benchmath.Summary, events float64) float64 {
		d := s.Center * math.Sqrt(together/max(events, 1))
		s.Lo, s.Hi, s.Confidence = s.Center-1.96*d, s.Center+1.96*d, confidence
		return d
	}
	both := math.Hypot(deviation(&r.Old, old), deviation(&r.New, new))
	r.Comparison.P = math.Erfc(math.Abs(r.New.Center-r.Old.Center) / both / math.Sqrt2)
	r.Comparison.Alpha = alpha
}

func constant(values []float64) bool { return slices.Min(values) == slices.Max(values) }
