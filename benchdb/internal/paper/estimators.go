package paper

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/gravelkv/gravel/blockfilter/theory"
)

// estimators are the ones of filters and what they tell of the keys.
func estimators() Experiment {
	e := Experiment{
		paper: burnsPaper,
		title: "Sections 2.4 and 3.1: ones, and keys estimated from them",
		note:  "m = 80000, k = 6; n = 10000, or 6000 and 5000 of which 2000 or none are common",
	}
	for _, c := range []model{standard, classic} {
		e.cases = append(e.cases, smallFilter{c, 80_000, 10_000, 6}.estimateKeys)
	}
	e.cases = append(e.cases, estimateOverlap, countCommonOnes)
	return e
}

// estimateKeys counts ones and estimates the number of keys from them.
func (f smallFilter) estimateKeys(ctx context.Context, l *Lab) ([]Row, error) {
	s, err := l.sample(ctx, fmt.Sprintf("keys %+v", f), l.Trials, ones(f.config(), f.n))
	if err != nil {
		return nil, err
	}
	mean, variance := f.Ones(f.m, f.n, f.k)
	keys := s.of(func(ones float64) float64 { return f.Keys(f.m, f.k, ones) })
	return []Row{
		f.row("ones", s, mean),
		f.varianceRow("their variance", s, variance),
		f.row("keys", keys, float64(f.n)),
	}, nil
}

// varianceRow holds the variance of a sample to a predicted one.
func (f smallFilter) varianceRow(point string, s sample, predicted float64) Row {
	row := f.row(point, s, 0)
	row.Predicted = within(predicted, s.varianceTolerance(predicted, 0))
	row.Measured = new(s.variance())
	return row.judged()
}

// pair is two standard filters of m bits and one hash function, which hold
// first and second keys, of which common are the same.
type pair struct {
	m, k                  int
	first, second, common int
}

// of returns a filter of n keys.
func (p pair) of(n int) smallFilter { return smallFilter{standard, p.m, n, p.k} }

// pairOnes are the ones of a pair's filters and of their bitwise AND.
type pairOnes struct{ first, second, common float64 }

// ones builds pairs and counts.
func (p pair) ones(ctx context.Context, l *Lab, name string) ([]pairOnes, error) {
	return run(ctx, l, name, l.Trials, func() trial[pairOnes] {
		a, b := filter{family: p.of(p.first).config(), draw: anyKey}, filter{family: p.of(p.second).config()}
		return func(rng *rand.Rand) (pairOnes, error) {
			a.drawHashes(rng, p.first+p.second-p.common)
			a.buildOf(a.hashes[:p.first])
			b.buildOf(a.hashes[p.first-p.common:])
			first, second := a.ones(), b.ones()
			for i, bits := range b.bits() {
				a.bits()[i] &= bits
			}
			return pairOnes{float64(first), float64(second), float64(a.ones())}, nil
		}
	})
}

func estimateOverlap(ctx context.Context, l *Lab) ([]Row, error) {
	p := pair{m: 80_000, k: 6, first: 6000, second: 5000, common: 2000}
	pairs, err := p.ones(ctx, l, "overlap")
	if err != nil {
		return nil, err
	}
	unions := sampleOf(pairs, func(o pairOnes) float64 {
		union, _ := theory.Standard.Overlap(p.m, p.k, o.first, o.second, o.common)
		return union
	})
	intersections := sampleOf(pairs, func(o pairOnes) float64 {
		_, intersection := theory.Standard.Overlap(p.m, p.k, o.first, o.second, o.common)
		return intersection
	})
	union := p.first + p.second - p.common
	return []Row{
		p.of(union).row("union", unions, float64(union)),
		p.of(p.common).row("intersection", intersections, float64(p.common)),
	}, nil
}

// countCommonOnes counts the ones that two filters of disjoint sets share.
func countCommonOnes(ctx context.Context, l *Lab) ([]Row, error) {
	p := pair{m: 80_000, k: 6, first: 6000, second: 5000}
	pairs, err := p.ones(ctx, l, "common ones")
	if err != nil {
		return nil, err
	}
	s := sampleOf(pairs, func(o pairOnes) float64 { return o.common })
	f := p.of(p.first)
	mean, variance := theory.CommonOnes(p.m, p.k, p.first, p.second)
	return []Row{f.row("common ones", s, mean), f.varianceRow("their variance", s, variance)}, nil
}
