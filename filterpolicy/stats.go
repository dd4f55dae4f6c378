package filterpolicy

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/blockfilter"
)

// Counter counts what filters answer, by the level that a table was written for
// and by family, in the stores of [Counter.CountIn].
//
// It counts a sample, one query in 1024 by a hash of key and block, and
// multiplies. The error of n queries of different keys or blocks is 32·√n, one
// standard deviation. Queries of one key and block are in the sample together
// or not at all, so it is larger where a few keys are asked for all the time.
//
// Only the table can tell whether a "may contain" was right. So a Counter finds
// the rate of false positives by tests of its own: whenever it counts a query,
// it asks the same block for four random keys, which no table has.
//
// A query of a Bloom or two-choice filter takes 1.8 to 2.4 ns longer on
// average, 24 % (medians of interleaved rounds on an AMD EPYC, go test -bench
// Counter ./filterpolicy).
//
// It is safe for concurrent use.
type Counter struct {
	sample blockfilter.Sample
	counts [levelSlots][]counts
}

// levelSlots has one slot for each level and one for blocks of unknown level.
const levelSlots = len(pebble.Options{}.Levels) + 1

// counts are those of the blocks of one level and family.
type counts struct{ skips, positives, falsePositives atomic.Uint64 }

// IndexFamily is the family of index filters (package pebbleext/indexfilter).
// Their level is unknown: Pebble tells it neither when a block property is
// written nor when it is asked.
const IndexFamily = "index"

// familyNames gives the counters of a level their order.
var familyNames = append(blockfilter.Families(), IndexFamily)

// NewCounter returns a Counter with all counts zero.
func NewCounter() *Counter {
	c := &Counter{}
	c.sample = blockfilter.NewSample(c.count)
	for level := range c.counts {
		c.counts[level] = make([]counts, len(familyNames))
	}
	return c
}

// CountIn makes stores that are opened with opts count here. Several may
// share a Counter.
func (c *Counter) CountIn(opts *pebble.Options) {
	if opts.Filters == nil {
		opts.Filters = make(map[string]pebble.FilterPolicy)
	}
	opts.Filters[Name] = countingPolicy{Bloom(10), c} // the size does not matter for reading
}

// countingPolicy reads tables, and counts.
type countingPolicy struct {
	*Policy
	counter *Counter
}

// MayContain implements pebble.FilterPolicy, as that of Policy does.
func (p countingPolicy) MayContain(_ pebble.FilterType, filter, key []byte) bool {
	return p.counter.sample.MayContain(filter, key)
}

func (c *Counter) count(a blockfilter.Answer) {
	level := a.Level
	if level < 0 || level >= levelSlots {
		level = levelSlots - 1
	}
	counts := &c.counts[level][slices.Index(familyNames, a.Family)]
	if a.MayContain {
		counts.positives.Add(1)
	} else {
		counts.skips.Add(1)
	}
	counts.falsePositives.Add(uint64(a.FalsePositives))
}

// CountIndex counts the answer to one in blockfilter.SampleEvery queries of
// index filters, and how many of blockfilter.TestsPerAnswer random keys the
// filter may contain.
func (c *Counter) CountIndex(mayContain bool, falsePositives int) {
	c.count(blockfilter.Answer{
		Info:           blockfilter.Info{Level: -1, Family: IndexFamily},
		MayContain:     mayContain,
		FalsePositives: falsePositives,
	})
}

// LevelStats are the counts of the filters of one level and family.
type LevelStats struct {
	Level  int    `json:"level"` // that the tables were written for, -1 if unknown
	Family string `json:"family"`
	// Skips and Positives estimate how many queries the filters answered with
	// "no", which skips a read, and with "may contain".
	Skips     uint64 `json:"skips"`
	Positives uint64 `json:"positives"`
	// Tests counts the tests with random keys, which no table has, and
	// FalsePositives those answered with "may contain". These are not
	// estimates.
	Tests          uint64 `json:"tests"`
	FalsePositives uint64 `json:"falsePositives"`
}

// Queries estimates how often the filters were asked.
func (s LevelStats) Queries() uint64 { return s.Skips + s.Positives }

// FalsePositiveRate returns the share of tests that were answered with "may
// contain": how many absent keys the filters let through, or 0 if there were no
// tests.
func (s LevelStats) FalsePositiveRate() float64 {
	if s.Tests == 0 {
		return 0
	}
	return float64(s.FalsePositives) / float64(s.Tests)
}

// RateInterval returns the bounds of the false-positive rate that lie a number
// of standard deviations from what the tests say. The true rate is between them
// with a probability of 95 % for 1.96, and 99.9 % for 3.29. It is Wilson's
// interval ("Probable Inference, the Law of Succession, and Statistical
// Inference", 1927), which also holds for few tests and for rare false
// positives.
func (s LevelStats) RateInterval(deviations float64) (low, high float64) {
	if s.Tests == 0 {
		return 0, 1
	}
	n, p, zz := float64(s.Tests), s.FalsePositiveRate(), deviations*deviations
	middle := p + zz/(2*n)
	reach := deviations * math.Sqrt(p*(1-p)/n+zz/(4*n*n))
	return max(0, (middle-reach)/(1+zz/n)), min(1, (middle+reach)/(1+zz/n))
}

// Stats returns the counts so far of each level and family that was asked, by
// level from L0 down, and by family. Blocks of unknown level come last. Counts
// never decrease.
func (c *Counter) Stats() []LevelStats {
	var all []LevelStats
	for level := range c.counts {
		for family := range c.counts[level] {
			s := c.counts[level][family].load()
			if s.Tests == 0 {
				continue
			}
			s.Level, s.Family = level, familyNames[family]
			if level == levelSlots-1 {
				s.Level = -1
			}
			all = append(all, s)
		}
	}
	return all
}

// load leaves level and family empty.
func (c *counts) load() LevelStats {
	falsePositives := c.falsePositives.Load() // before the queries, to be at most the tests
	skips, positives := c.skips.Load(), c.positives.Load()
	return LevelStats{
		Skips:          skips * blockfilter.SampleEvery,
		Positives:      positives * blockfilter.SampleEvery,
		Tests:          (skips + positives) * blockfilter.TestsPerAnswer,
		FalsePositives: falsePositives,
	}
}
