package paper

import (
	"math/rand/v2"

	"github.com/gravelkv/gravel/benchdb/internal/paper/analysis"
)

// estimators are the ones of filters and what they tell of the keys.
func estimators() Experiment {
	const m, k = 80_000, 6
	return Experiment{
		paper: burnsPaper,
		title: "Sections 2.4 and 3.1: ones, and keys estimated from them",
		note:  "m = 80000, k = 6; n = 10000, or 6000 and 5000 of which 2000 or none are common",
		cases: []measurement{
			newBurnsFilter(analysis.Standard, m, 10_000, k).estimateKeys(),
			newBurnsFilter(analysis.Classic, m, 10_000, k).estimateKeys(),
			pair{m: m, k: k, first: 6000, second: 5000, common: 2000}.estimateOverlap(),
			pair{m: m, k: k, first: 6000, second: 5000}.countCommonOnes(),
		},
	}
}

// estimateKeys counts ones and estimates the number of keys from them.
func (f burnsFilter) estimateKeys() measurement {
	return sampled("keys "+f.flat.String(), PublishedTrials, ones(f.options(), f.n), func(s sample) []Row {
		mean, variance := analysis.Ones(f.Model, f.m, f.n, f.k)
		keys := sampleOf(s, func(ones float64) float64 { return analysis.Keys(f.Model, f.m, f.k, ones) })
		return []Row{
			f.mean("ones", s, mean),
			f.variance("their variance", s, variance, 0),
			f.mean("keys", keys, float64(f.n)),
		}
	})
}

// pair is two standard filters of m bits and one hash function, which hold
// first and second keys, of which common are the same.
type pair struct {
	m, k                  int
	first, second, common int
}

// of returns a filter of n keys.
func (p pair) of(n int) flat { return flat{standard, p.m, n, p.k} }

// pairOnes are the ones of a pair's filters and of their bitwise AND.
type pairOnes struct{ first, second, common float64 }

// ones is a trial that builds a pair and counts.
func (p pair) ones() trial[pairOnes] {
	a, b := newFilter(p.of(p.first).options()), newFilter(p.of(p.second).options())
	return func(rng *rand.Rand) (pairOnes, error) {
		a.drawHashes(rng, p.first+p.second-p.common)
		a.buildOf(a.hashes[:p.first])
		b.buildOf(a.hashes[p.first-p.common:])
		first, second := a.ones(), b.ones()
		for i, bits := range b.bits() {
			a.bits()[i] &= bits
		}
		return pairOnes{first, second, a.ones()}, nil
	}
}

// estimateOverlap estimates the sizes of the union and of the intersection.
func (p pair) estimateOverlap() measurement {
	return sampled("overlap", PublishedTrials, p.ones, func(pairs []pairOnes) []Row {
		unions, intersections := make(sample, len(pairs)), make(sample, len(pairs))
		for i, o := range pairs {
			unions[i], intersections[i] = analysis.Overlap(p.m, p.k, o.first, o.second, o.common)
		}
		union := p.first + p.second - p.common
		return []Row{
			p.of(union).mean("union", unions, float64(union)),
			p.of(p.common).mean("intersection", intersections, float64(p.common)),
		}
	})
}

// countCommonOnes counts the ones that two filters of disjoint sets share.
func (p pair) countCommonOnes() measurement {
	return sampled("common ones", PublishedTrials, p.ones, func(pairs []pairOnes) []Row {
		s := sampleOf(pairs, func(o pairOnes) float64 { return o.common })
		mean, variance := analysis.CommonOnes(p.m, p.k, p.first, p.second)
		f := p.of(p.first)
		return []Row{f.mean("common ones", s, mean), f.variance("their variance", s, variance, 0)}
	})
}
