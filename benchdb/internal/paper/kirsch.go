package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/theory"
)

const kirschMitzenmacherPaper = "Kirsch, Mitzenmacher: Less Hashing, Same Performance (2008)"

// scheme is a way to derive probes, by the names of package bloom and of theory.
type scheme struct {
	name   string
	built  bloom.Scheme
	theory theory.Scheme
}

var (
	independent = scheme{"standard", bloom.Independent, theory.Independent}
	partition   = scheme{"partition", bloom.Partition, theory.Partition}
	double      = scheme{"double", bloom.Double, theory.Double}
	enhanced2   = scheme{"enhanced i²", bloom.Enhanced2, theory.Enhanced2}
	enhanced3   = scheme{"enhanced i³", bloom.Enhanced3, theory.Enhanced3}

	fewHashes = []scheme{partition, double, enhanced2, enhanced3}
	schemes   = append([]scheme{independent}, fewHashes...)
)

func kirschMitzenmacher(p *Published) []Experiment {
	var all []Experiment
	for _, row := range p.Double.Rows {
		all = append(all, figure1(row.C, row.K, row.P.Value))
	}
	for _, row := range p.Double.Rows {
		if row.C == 8 {
			all = append(all, figure2(row.C, row.K, row.P.Value))
		}
	}
	return append(all, countMin())
}

// figure1 is the false-positive rate of each scheme over the number of keys.
func figure1(c, k int, p float64) Experiment {
	e := Experiment{
		paper: kirschMitzenmacherPaper,
		title: fmt.Sprintf("Figure 1: false-positive rate, c = %d bits per key, k = %d", c, k),
	}
	for _, s := range schemes {
		for _, n := range []int{100, 1000, 10_000, 100_000} {
			e.cases = append(e.cases, schemeFilter{scheme: s, n: n, c: c, k: k, draw: anyKey}.rate(p))
		}
	}
	return e
}

// schemeFilter is a flat filter of n keys, c bits per key and k probes.
type schemeFilter struct {
	scheme
	n, c, k int
	draw    draw
}

func (f schemeFilter) config() bloom.Config {
	return bloom.Config{BitsPerKey: float64(f.c), Layout: bloom.Flat, Scheme: f.built, Probes: f.k}
}

func (f schemeFilter) row(point string) Row {
	geometry := &Filter{Scheme: f.name, Keys: f.n, Bits: f.c * f.n, Probes: f.k}
	return Row{Case: f.name, Point: point, Filter: geometry}
}

func (f schemeFilter) predicted() float64 { return f.theory.FilterRate(f.c*f.n, f.n, f.k) }

// figureResolution is the least distance from p, as a share of it, that can be
// seen in the figure. Its axis spans a decade or more.
const figureResolution = 0.2

// rate measures a point of Figure 1, where the published value is p.
func (f schemeFilter) rate(p float64) measurement {
	return func(ctx context.Context, l *Lab) ([]Row, error) {
		repeat := f.repeat(l.Trials)
		queries := repeat * int(math.Ceil(10/p))
		outcomes, err := run(ctx, l, fmt.Sprintf("figure 1 %s %d %d", f.name, f.n, f.c), l.Trials/repeat,
			positives(f.config(), f.draw, f.n, queries))
		if err != nil {
			return nil, err
		}
		rates := sample(outcomes).over(float64(queries))
		row := f.row(fmt.Sprintf("n=%d", f.n))
		row.Published, row.Predicted = shown(p), within(f.predicted(), rates.tolerance())
		if f.nearLimit() {
			row.Published = within(p, rates.tolerance()+figureResolution*p)
		}
		return []Row{row.measured(rates)}, nil
	}
}

// repeat is how many times the paper's number of queries go to one filter. The
// rates of filters of many keys differ by less than 0.1 %. Runs shorter than the
// paper's therefore build a tenth of them, but no fewer than 100, and ask each
// ten times as much.
func (f schemeFilter) repeat(trials int) int {
	if f.n < 100_000 || trials >= PublishedTrials {
		return 1
	}
	return min(max(trials/100, 1), 10)
}

// nearLimit tells that the figure shows no distance from p: with few bits per
// key, with many keys, and for independent hashes.
func (f schemeFilter) nearLimit() bool {
	return f.c <= 8 || f.n >= 10_000 || f.theory == theory.Independent
}

// figure2 is the distribution of the number Q of false positives beside the
// normal density. There are as many queries as bring ten on average.
func figure2(c, k int, p float64) Experiment {
	const n = 5000
	q := falsePositives{queries: math.Ceil(10 / p), p: p}
	e := Experiment{
		paper: kirschMitzenmacherPaper,
		title: fmt.Sprintf("Figure 2: false positives Q of %.0f queries, n = %d, c = %d", q.queries, n, c),
		note:  "distance: the largest between the distributions of Q and of N(qp, qp(1-p))",
		series: func() []Series {
			density := func(x int) float64 { return q.normal().Prob(float64(x)) }
			return []Series{curve("density of N(qp, qp(1-p))", 0, 30, density)}
		},
	}
	for _, s := range fewHashes {
		f := schemeFilter{scheme: s, n: n, c: c, k: k, draw: anyKey}
		e.cases = append(e.cases, sampled("figure 2 "+f.name, PublishedTrials,
			positives(f.config(), f.draw, f.n, int(q.queries)), func(s sample) []Row { return q.rows(f, s) }))
	}
	return e
}

// falsePositives is the law of Q at the limit rate p.
type falsePositives struct{ queries, p float64 }

func (q falsePositives) normal() distuv.Normal {
	return distuv.Normal{Mu: q.queries * q.p, Sigma: math.Sqrt(q.queries * q.p * (1 - q.p))}
}

func (q falsePositives) rows(f schemeFilter, s sample) []Row {
	rate := f.predicted()
	binomial := distuv.Binomial{N: q.queries, P: rate}
	variance := binomial.Variance() + q.queries*(q.queries-1)*rateVariance(f.c*f.n, f.n, f.k)
	mean, spread, distance := f.row("mean"), f.row("variance"), f.row("distance")
	spread.Trials, distance.Trials = len(s), len(s)

	mean.Published, mean.Predicted = shown(q.normal().Mu), within(binomial.Mean(), s.tolerance())
	mean.Histogram = s.histogram()
	spread.Published = shown(q.normal().Variance())
	spread.Predicted = within(variance, s.varianceTolerance(variance, binomial.ExKurtosis()))
	distance.Predicted = within(q.distance(binomial.CDF), kolmogorovTolerance(len(s)))
	return []Row{mean.measured(s), spread.as(s.variance()), distance.as(q.distance(s.distribution))}
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
