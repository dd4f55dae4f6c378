package store

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/zeebo/xxh3"
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

// Add returns the sum of both counts.
func (b AnswersByLevel) Add(c AnswersByLevel) AnswersByLevel {
	for level := range b {
		b[level] = b[level].Add(c[level])
	}
	return b
}

// QueryCounter counts the answers of policies. It is safe for concurrent use.
type QueryCounter struct {
	truth *Truth

	mu     sync.Mutex
	levels AnswersByLevel
	// passed is the key that each block let pass last. A lookup that a filter in
	// memory lets pass may ask the same filter of the table again.
	passed map[*filterBlock]uint64
}

// Counter returns a counter that starts from zero.
func (t *Truth) Counter() *QueryCounter {
	return &QueryCounter{truth: t, passed: map[*filterBlock]uint64{}}
}

// Reset starts again from zero.
func (c *QueryCounter) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.levels = AnswersByLevel{}
	clear(c.passed)
}

// Answers returns the answers so far.
func (c *QueryCounter) Answers() AnswersByLevel {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.levels
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
	p.counter.add(b, xxh3.Hash(key), positive)
	return positive
}

func (c *QueryCounter) add(b *filterBlock, key uint64, positive bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b == nil {
		c.levels[0].Unknown++
		return
	}
	if positive {
		if c.passed[b] == key {
			return
		}
		c.passed[b] = key
	}
	contains := b.contains(key)
	switch {
	case positive && contains:
		c.levels[b.Level].TruePositives++
	case positive:
		c.levels[b.Level].FalsePositives++
	case contains:
		c.levels[b.Level].FalseNegatives++
	default:
		c.levels[b.Level].TrueNegatives++
	}
}
