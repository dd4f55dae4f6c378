package pebbleext

import (
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/filterpolicy"
)

const (
	// leastSample is how many probes must be in the sample to learn from it:
	// their number is then off by 10 %.
	leastSample = 100 * blockfilter.SampleEvery
	// leastFiltered is the share of a level's keys in tables with filters from
	// which their probes stand for the whole level.
	leastFiltered = 0.1
	// mostSkew bounds how far a level's weight departs from what its shape
	// gives: a level must not lose all its filters, with which it is observed,
	// because nobody asked for its keys for some minutes.
	mostSkew = 16
)

// observer compares how often the filters of each level are asked in vain with
// what the store's shape lets expect.
type observer struct {
	seen [numLevels]float64 // probes in vain, ever
	skew [numLevels]float64 // observed by expected, 0 if never observed
}

// weigh returns the shape with Asked as observed since the last call. Only the
// proportions between levels are known, not the number of lookups, so the
// observed levels together keep the weight that they have without observation.
func (o *observer) weigh(s Shape, reads Reads, stats []filterpolicy.LevelStats, filtered [numLevels]float64) Shape {
	groups := s.groups(reads)
	probes := o.probes(stats)
	var all, expected float64
	for _, g := range groups {
		if observed(g, filtered) {
			probes[g.level] /= filtered[g.level]
			all += probes[g.level]
			expected += g.weight
		}
	}
	if all >= leastSample {
		for _, g := range groups {
			if observed(g, filtered) && g.weight > 0 {
				skew := probes[g.level] / all * expected / g.weight
				o.skew[g.level] = min(max(skew, 1.0/mostSkew), mostSkew)
			}
		}
	}
	return o.skewed(s, groups)
}

// observed tells whether a level's filters are asked and speak for the level.
func observed(g group, filtered [numLevels]float64) bool {
	return g.filtered && filtered[g.level] >= leastFiltered
}

// probes returns how often each level was asked in vain since the last call:
// the answers "no", and as many "may contain" as its rate lets expect.
func (o *observer) probes(stats []filterpolicy.LevelStats) [numLevels]float64 {
	var now, since [numLevels]float64
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

func (o *observer) skewed(s Shape, groups []group) Shape {
	s.Levels = slices.Clone(s.Levels)
	for i := range s.Levels {
		l := &s.Levels[i]
		if skew := o.skew[l.Level]; skew > 0 {
			g := groups[slices.IndexFunc(groups, func(g group) bool { return g.level == l.Level })]
			runs := 0 // sublevels, which share the level's probes
			for _, other := range s.Levels {
				if other.Level == l.Level {
					runs++
				}
			}
			asked := g.weight * skew / float64(runs)
			l.Asked = &asked
		}
	}
	return s
}

// filteredShares returns the share of each level's keys that is in tables with
// filters that a Counter counts.
func filteredShares(db *pebble.DB) (shares [numLevels]float64, err error) {
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
