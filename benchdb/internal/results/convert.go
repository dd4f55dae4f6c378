package results

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/gravelkv/gravel/benchdb/internal/iocount"
	"github.com/gravelkv/gravel/benchdb/internal/probes"
)

// NewReads arranges counts, without the levels that were not read.
func NewReads(c iocount.Counts) Reads {
	r := Reads{
		Total:       c.Total(),
		Data:        c.Of(iocount.Data),
		Index:       c.Of(iocount.Index),
		Filter:      c.Of(iocount.Filter),
		Other:       c.Of(iocount.Other),
		ByLevel:     []LevelReads{},
		Compactions: c.Compactions,
	}
	for level, kinds := range c.Blocks {
		if kinds == [iocount.Kinds]iocount.Count{} {
			continue
		}
		r.ByLevel = append(r.ByLevel, LevelReads{
			level, kinds[iocount.Data], kinds[iocount.Index], kinds[iocount.Filter], kinds[iocount.Other],
		})
	}
	return r
}

// NewProbes arranges counts, without the levels that were not asked. The rate
// gives what is expected of a level's filters, if it has any.
func NewProbes(byLevel probes.ByLevel, rate func(level int) (float64, bool)) Probes {
	p := Probes{Counts: byLevel.Total(), ByLevel: []LevelProbes{}}
	expected, absent := 0.0, 0.0
	for level, c := range byLevel {
		if c.Probes() == 0 {
			continue
		}
		p.ByLevel = append(p.ByLevel, LevelProbes{level, c})
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

// NewLatency summarises a histogram of nanoseconds.
func NewLatency(h *hdrhistogram.Histogram) Latency {
	return Latency{
		Mean: h.Mean(),
		P50:  h.ValueAtQuantile(50),
		P95:  h.ValueAtQuantile(95),
		P99:  h.ValueAtQuantile(99),
		Max:  h.Max(),
	}
}
