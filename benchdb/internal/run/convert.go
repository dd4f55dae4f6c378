package run

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/gravelkv/gravel/benchdb/internal/store"
)

// newQueries arranges counts, without the levels that were not asked.
func newQueries(byLevel store.AnswersByLevel) Queries {
	q := Queries{Answers: byLevel.Total(), ByLevel: []LevelQueries{}}
	for level, c := range byLevel {
		if c.Number() > 0 {
			q.ByLevel = append(q.ByLevel, LevelQueries{level, c})
		}
	}
	if f, ok := q.FalsePositiveRate(); ok {
		q.FPR = &f
	}
	return q
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
