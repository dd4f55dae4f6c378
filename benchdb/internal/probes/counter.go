package probes

import (
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// Levels is the number of levels of Pebble's LSM.
const Levels = 7

// Counts are the answers of filters. A positive is an answer "may contain".
type Counts struct {
	TrueNegatives  int64 `json:"true_negatives"`
	TruePositives  int64 `json:"true_positives"`
	FalsePositives int64 `json:"false_positives"`
	// FalseNegatives are lost keys: any is a bug of the filter.
	FalseNegatives int64 `json:"false_negatives"`
	// Unknown are probes of blocks that were never recorded.
	Unknown int64 `json:"unknown"`
}

// Probes returns the number of answers.
func (c Counts) Probes() int64 {
	return c.TrueNegatives + c.TruePositives + c.FalsePositives + c.FalseNegatives + c.Unknown
}

// FalsePositiveRate returns the share of positives among probes for keys that
// are not in the block, and whether there were any.
func (c Counts) FalsePositiveRate() (float64, bool) {
	absent := c.FalsePositives + c.TrueNegatives
	return float64(c.FalsePositives) / float64(max(absent, 1)), absent > 0
}

// Add returns the sum of both counts.
func (c Counts) Add(d Counts) Counts {
	c.TrueNegatives += d.TrueNegatives
	c.TruePositives += d.TruePositives
	c.FalsePositives += d.FalsePositives
	c.FalseNegatives += d.FalseNegatives
	c.Unknown += d.Unknown
	return c
}

// ByLevel are counts by the level that a filter block was written for.
type ByLevel [Levels]Counts

// Total returns the sum over the levels.
func (b ByLevel) Total() Counts {
	var sum Counts
	for _, c := range b {
		sum = sum.Add(c)
	}
	return sum
}

// Counter counts the answers of policies. It is safe for concurrent use.
type Counter struct {
	truth  *Truth
	levels [Levels]struct {
		trueNegatives, truePositives, falsePositives, falseNegatives, unknown atomic.Int64
	}
}

// Counter returns a counter that starts from zero.
func (t *Truth) Counter() *Counter { return &Counter{truth: t} }

// Reset starts again from zero. No probe may run meanwhile.
func (c *Counter) Reset() { *c = Counter{truth: c.truth} }

// Counts returns the answers so far.
func (c *Counter) Counts() (counts ByLevel) {
	for i := range c.levels {
		l := &c.levels[i]
		counts[i] = Counts{
			TrueNegatives:  l.trueNegatives.Load(),
			TruePositives:  l.truePositives.Load(),
			FalsePositives: l.falsePositives.Load(),
			FalseNegatives: l.falseNegatives.Load(),
			Unknown:        l.unknown.Load(),
		}
	}
	return counts
}

// Count returns a policy for pebble.Options.Filters that answers as the policy
// does, under its name, and counts.
func (c *Counter) Count(policy pebble.FilterPolicy) pebble.FilterPolicy {
	return &counted{policy, c}
}

type counted struct {
	pebble.FilterPolicy
	counter *Counter
}

func (p *counted) MayContain(t pebble.FilterType, filter, key []byte) bool {
	positive := p.FilterPolicy.MayContain(t, filter, key)
	b := p.counter.truth.of(filter)
	if b == nil {
		p.counter.levels[0].unknown.Add(1)
		return positive
	}
	l := &p.counter.levels[b.level]
	switch contains := b.contains(key); {
	case positive && contains:
		l.truePositives.Add(1)
	case positive:
		l.falsePositives.Add(1)
	case contains:
		l.falseNegatives.Add(1)
	default:
		l.trueNegatives.Add(1)
	}
	return positive
}
