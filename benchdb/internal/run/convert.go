package run

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/gravelkv/gravel/benchdb/internal/store"
)

// newQueries arranges counts, without the levels that were not asked. The rate
// gives what is expected of a level's filters, if it has any.
func newQueries(byLevel store.AnswersByLevel, rate func(level int) (float64, bool)) Queries {
	p := Queries{Answers: byLevel.Total(), ByLevel: []LevelQueries{}}
	expected, absent := 0.0, 0.0
	for level, c := range byLevel {
		if c.Number() == 0 {
			continue
		}
		p.ByLevel = append(p.ByLevel, LevelQueries{level, c})
		if f, ok := rate(level); ok {
			n := float64(c.TrueNegatives + c.FalsePositives)
			expected += f * n
			absent += n
		}
	}
	if f, ok := p.FalsePositiveRate(); ok {
		p.FPR = &f
	}
	if absent > 0 {
		expected /= absent
		p.ExpectedFPR = &expected
	}
	return p
}

// newLatency summarises a histogram of nanoseconds.
func newLatency(h *hdrhistogram.Histogram) Latency {
	return Latency{
		Mean: h.Mean(),
		P50:  h.ValueAtQuantile(50),
		P95:  h.ValueAtQuantile(95),
		P99:  h.ValueAtQuantile(99),
		P999: h.ValueAtQuantile(99.9),
		Max:  h.Max(),
	}
}
