package tuner

import (
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

const (
	// leastSample is how many queries must be in the sample to learn from it:
	// their number is then off by 10 %.
	leastSample = 100 * blockfilter.SampleEvery
	// leastFiltered is the share of a level's keys in tables with filters from
	// which their queries stand for the whole level.
	leastFiltered = 0.1
	// mostSkew bounds how far a level's weight departs from what its shape
	// gives: a level must not lose all its filters, with which it is observed,
	// because nobody asked for its keys for some minutes.
	mostSkew = 16
)

// levelShares has a number for each level.
type levelShares [pebbleext.NumLevels]float64

// observer compares how often the filters of each level are asked in vain with
// what the store's shape lets expect.
type observer struct {
	seen levelShares // queries in vain, ever
	skew levelShares // observed by expected, 0 if never observed
}

// weigh returns the shape with Asked as observed since the last call. Only the
// proportions between levels are known, not the number of lookups, so the
// observed levels together keep the weight that they have without observation.
func (o *observer) weigh(s levelplan.Shape, reads levelplan.Reads, stats []filterpolicy.LevelStats, filtered levelShares) (levelplan.Shape, error) {
	expected, err := expectedWeights(s, reads)
	if err != nil {
		return s, err
	}
	queries := o.queries(stats)
	var allQueries, allExpected float64
	for level, weight := range expected {
		if filtered[level] < leastFiltered || weight == 0 {
			queries[level] = 0
			continue
		}
		queries[level] /= filtered[level]
		allQueries += queries[level]
		allExpected += weight
	}
	if allQueries >= leastSample {
		for level, weight := range expected {
			if filtered[level] >= leastFiltered && weight > 0 {
				skew := queries[level] / allQueries * allExpected / weight
				o.skew[level] = min(max(skew, 1.0/mostSkew), mostSkew)
			}
		}
	}
	return o.skewed(s, expected), nil
}

// expectedWeights returns how many queries for keys that the table does not
// hold the shape lets expect of each level's filters, for each lookup. Levels
// whose filters are not asked have none.
func expectedWeights(s levelplan.Shape, reads levelplan.Reads) (weights levelShares, err error) {
	f, err := s.Forecast(pebbleext.Plan{}, reads)
	for _, l := range f.Levels {
		if !reads.Get || l.Level < pebbleext.NumLevels-1 {
			weights[l.Level] = l.Mean
		}
	}
	return weights, err
}

// queries returns how often each level was asked in vain since the last call:
// the answers "no", and as many "may contain" as its rate lets expect.
func (o *observer) queries(stats []filterpolicy.LevelStats) levelShares {
	var now, since levelShares
	for _, s := range stats {
		if rate := s.FalsePositiveRate(); s.Level >= 0 && rate < 1 {
			now[s.Level] += float64(s.Skips) / (1 - rate)
		}
	}
	for level := range since {
		since[level] = max(now[level]-o.seen[level], 0)
	}
	o.seen = now
	return since
}

func (o *observer) skewed(s levelplan.Shape, expected levelShares) levelplan.Shape {
	var sublevels levelShares
	for _, l := range s.Levels {
		sublevels[l.Level]++
	}
	s.Levels = slices.Clone(s.Levels)
	for i := range s.Levels {
		l := &s.Levels[i]
		if skew := o.skew[l.Level]; skew > 0 {
			asked := expected[l.Level] * skew / sublevels[l.Level] // sublevels share the level's queries
			l.Asked = &asked
		}
	}
	return s
}

// filteredShares returns the share of each level's keys that is in tables with
// filters that a Counter counts.
func filteredShares(db *pebble.DB) (shares levelShares, err error) {
	levels, err := db.SSTables(pebble.WithProperties())
	if err != nil {
		return shares, err
	}
	for level, tables := range levels {
		var all, filtered float64
		for _, t := range tables {
			all += float64(t.Properties.NumEntries)
			if t.Properties.FilterPolicyName == filterpolicy.Name && t.Properties.FilterSize > 0 {
				filtered += float64(t.Properties.NumEntries)
			}
		}
		shares[level] = filtered / max(all, 1)
	}
	return shares, nil
}
