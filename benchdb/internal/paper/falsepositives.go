package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gravelkv/gravel/blockfilter/theory"
)

// figure2 is the distribution of the number Q of false positives among as many
// queries as bring ten on average, beside the normal density.
func figure2(c, k int, p float64) Experiment {
	const n = 5000
	q := falsePositives{queries: math.Ceil(10 / p), p: p}
	e := Experiment{
		paper: kirschMitzenmacherPaper,
		title: fmt.Sprintf("Figure 2: false positives Q of %.0f queries, n = %d, c = %d", q.queries, n, c),
		note:  "distance: the largest between the distributions of Q and of N(qp, qp(1-p))",
	}
	for _, s := range []scheme{partition, double, enhanced2, enhanced3} {
		f := schemeFilter{scheme: s, n: n, c: c, k: k, draw: anyKey}
		e.cases = append(e.cases, func(ctx context.Context, l *Lab) ([]Row, error) { return q.rows(ctx, l, f) })
	}
	e.series = func() []Series {
		density := Series{Name: "density of N(qp, qp(1-p))"}
		for x := range 31 {
			density.X = append(density.X, float64(x))
			density.Y = append(density.Y, q.normal().Prob(float64(x)))
		}
		return []Series{density}
	}
	return e
}

// falsePositives is the law of Q at the limit rate p.
type falsePositives struct{ queries, p float64 }

func (q falsePositives) normal() distuv.Normal {
	return distuv.Normal{Mu: q.queries * q.p, Sigma: math.Sqrt(q.queries * q.p * (1 - q.p))}
}

func (q falsePositives) rows(ctx context.Context, l *Lab, f schemeFilter) ([]Row, error) {
	s, err := l.sample(ctx, "figure 2 "+f.name, l.Trials, positives(f.config(), f.draw, f.n, int(q.queries)))
	if err != nil {
		return nil, err
	}
	rate := f.predicted()
	binomial := distuv.Binomial{N: q.queries, P: rate}
	variance := binomial.Variance() + q.queries*(q.queries-1)*rateVariance(f.c*f.n, f.n, f.k)
	base := Row{
		Case:   f.name,
		Filter: &Filter{Scheme: f.name, Keys: f.n, Bits: f.c * f.n, Probes: f.k},
		Trials: len(s),
	}
	mean, spread, distance := base, base, base

	mean.Point = "mean"
	mean.Published, mean.Predicted = shown(q.normal().Mu), within(binomial.Mean(), s.tolerance())
	mean.Measured, mean.Histogram = new(s.mean()), s.histogram()

	spread.Point = "variance"
	spread.Published = shown(q.normal().Variance())
	spread.Predicted = within(variance, s.varianceTolerance(variance, binomial.ExKurtosis()))
	spread.Measured = new(s.variance())

	distance.Point = "distance"
	distance.Predicted = within(q.distance(binomial.CDF), kolmogorovTolerance(len(s)))
	distance.Measured = new(q.distance(s.distribution))
	return []Row{mean.judged(), spread.judged(), distance.judged()}, nil
}

// distance is the largest difference between a distribution of Q and the normal
// one, with a correction for continuity.
func (q falsePositives) distance(distribution func(float64) float64) float64 {
	largest := 0.0
	for x := 0.0; x <= 5*q.normal().Mu; x++ {
		largest = max(largest, math.Abs(distribution(x)-q.normal().CDF(x+0.5)))
	}
	return largest
}

// rateVariance is the variance between filters of the rate (X/m)^k, to first
// order in the number X of ones.
func rateVariance(m, n, k int) float64 {
	ones, variance := theory.Standard.Ones(m, n, k)
	slope := float64(k) / ones * math.Pow(ones/float64(m), float64(k))
	return slope * slope * variance
}

// distribution is the share of outcomes that are x or less.
func (s sample) distribution(x float64) float64 {
	n := 0
	for _, v := range s {
		if v <= x {
			n++
		}
	}
	return float64(n) / float64(len(s))
}

// histogram counts the outcomes, which are whole.
func (s sample) histogram() []int {
	counts := make([]int, int(slices.Max(s))+1)
	for _, v := range s {
		counts[int(v)]++
	}
	return counts
}

// kolmogorovTolerance bounds the distance of a sample's distribution from the
// true one, whatever it is (Dvoretzky, Kiefer and Wolfowitz; Massart 1990).
func kolmogorovTolerance(trials int) float64 {
	return math.Sqrt(math.Log(2/falseAlarm) / (2 * float64(trials)))
}
