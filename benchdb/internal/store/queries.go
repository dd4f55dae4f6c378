package store

import (
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// Levels is the number of levels of Pebble's LSM.
const Levels = 7

// Answers are the answers of filters. A positive is an answer "may contain".
type Answers struct {
	TrueNegatives  int64 `json:"true_negatives"`
	TruePositives  int64 `json:"true_positives"`
	FalsePositives int64 `json:"false_positives"`
	// FalseNegatives are lost keys: any is a bug of the filter.
	FalseNegatives int64 `json:"false_negatives"`
	// Unknown are queries of blocks that were never recorded.
	Unknown int64 `json:"unknown"`
}

// Number returns the number of queries.
func (c Answers) Number() int64 {
	return c.TrueNegatives + c.TruePositives + c.FalsePositives + c.FalseNegatives + c.Unknown
}

// FalsePositiveRate returns the share of positives among queries for keys that
// are not in the block, and whether there were any.
func (c Answers) FalsePositiveRate() (float64, bool) {
	absent := c.FalsePositives + c.TrueNegatives
	return float64(c.FalsePositives) / float64(max(absent, 1)), absent > 0
}

// Add returns the sum of both counts.
func (c Answers) Add(d Answers) Answers {
	c.TrueNegatives += d.TrueNegatives
	c.TruePositives += d.TruePositives
	c.FalsePositives += d.FalsePositives
	c.FalseNegatives += d.FalseNegatives
	c.Unknown += d.Unknown
	return c
}

// AnswersByLevel are counts by the level that a filter block was written for.
type AnswersByLevel [Levels]Answers

// Total returns the sum over the levels.
func (b AnswersByLevel) Total() Answers {
	var sum Answers
	for _, c := range b {
		sum = sum.Add(c)
	}
	return sum
}

// QueryCounter counts the answers of policies. It is safe for concurrent use.
type QueryCounter struct {
	truth  *Truth
	levels [Levels]struct {
		trueNegatives, truePositives, falsePositives, falseNegatives, unknown atomic.Int64
	}
}

// Counter returns a counter that starts from zero.
func (t *Truth) Counter() *QueryCounter { return &QueryCounter{truth: t} }

// Reset starts again from zero. No query may run meanwhile.
func (c *QueryCounter) Reset() { *c = QueryCounter{truth: c.truth} }

// Answers returns the answers so far.
func (c *QueryCounter) Answers() (answers AnswersByLevel) {
	for i := range c.levels {
		l := &c.levels[i]
		answers[i] = Answers{
			TrueNegatives:  l.trueNegatives.Load(),
			TruePositives:  l.truePositives.Load(),
			FalsePositives: l.falsePositives.Load(),
			FalseNegatives: l.falseNegatives.Load(),
			Unknown:        l.unknown.Load(),
		}
	}
	return answers
}

// Count returns a policy for pebble.Options.Filters that answers as the policy
// does, under its name, and counts.
func (c *QueryCounter) Count(policy pebble.FilterPolicy) pebble.FilterPolicy {
	return &counted{policy, c}
}

type counted struct {
	pebble.FilterPolicy
	counter *QueryCounter
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
