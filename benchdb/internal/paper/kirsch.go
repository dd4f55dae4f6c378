package paper

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gravelkv/gravel/benchdb/internal/paper/analysis"
)

const kirschMitzenmacherPaper = "Kirsch, Mitzenmacher: Less Hashing, Same Performance (2008)"

var (
	fewHashes = []scheme{partition, double, enhanced2, enhanced3}
	schemes   = append([]scheme{standard}, fewHashes...)
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

// figure1 is the false-positive rate of each scheme over the number of keys, at c
// bits per key.
func figure1(c, k int, p float64) Experiment {
	e := Experiment{
		paper: kirschMitzenmacherPaper,
		title: fmt.Sprintf("Figure 1: false-positive rate, c = %d bits per key, k = %d", c, k),
	}
	for _, s := range schemes {
		for _, n := range []int{100, 1000, 10_000, 100_000} {
			e.cases = append(e.cases, figure1Point(flat{s, c * n, n, k}, p))
		}
	}
	return e
}

// figureResolution is the least distance from p, as a share of it, that can be
// seen in the figure. Its axis spans a decade or more.
const figureResolution = 0.2

// figure1Point measures a point of Figure 1, where the published value is p.
func figure1Point(f flat, p float64) measurement {
	return func(ctx context.Context, s Settings) ([]Row, error) {
		repeat := repeats(f.n, s.Trials)
		queries := repeat * int(math.Ceil(10/p))
		outcomes, err := run(ctx, s, fmt.Sprintf("figure 1 %s %d %d", f.name, f.n, f.m/f.n), s.Trials/repeat,
			positives(f.options(), f.n, queries))
		if err != nil {
			return nil, err
		}
		rates := sample(outcomes).over(float64(queries))
		row := f.mean(fmt.Sprintf("n=%d", f.n), rates, f.predicted())
		row.Published = shown(p)
		if nearLimit(f) {
			row.Published = within(p, rates.tolerance()+figureResolution*p)
		}
		return []Row{row}, nil
	}
}

// repeats is how many times the paper's number of queries go to one filter of n
// keys. The rates of filters of many keys differ by less than 0.1 %. Runs shorter
// than the paper's therefore build a tenth of them, but no fewer than 100, and
// ask each ten times as much.
func repeats(n, trials int) int {
	if n < 100_000 || trials >= PublishedTrials {
		return 1
	}
	return min(max(trials/100, 1), 10)
}

// nearLimit tells that the figure shows no distance from p: with few bits per
// key, with many keys, and for independent hashes.
func nearLimit(f flat) bool {
	return f.m <= 8*f.n || f.n >= 10_000 || f.name == standard.name
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
	}
	for _, s := range fewHashes {
		f := flat{s, c * n, n, k}
		e.cases = append(e.cases, sampled("figure 2 "+f.name, PublishedTrials,
			positives(f.options(), f.n, int(q.queries)), func(s sample) []Row { return q.rows(f, s) }))
	}
	return e
}

// falsePositives is the law of Q at the limit rate p.
type falsePositives struct{ queries, p float64 }

func (q falsePositives) normal() distuv.Normal {
	return distuv.Normal{Mu: q.queries * q.p, Sigma: math.Sqrt(q.queries * q.p * (1 - q.p))}
}

func (q falsePositives) rows(f flat, s sample) []Row {
	binomial := distuv.Binomial{N: q.queries, P: f.predicted()}
	variance := binomial.Variance() + q.queries*(q.queries-1)*rateVariance(f.m, f.n, f.k)

	mean := f.mean("mean", s, binomial.Mean())
	mean.Published = shown(q.normal().Mu)
	spread := f.variance("variance", s, variance, binomial.ExKurtosis())
	spread.Published = shown(q.normal().Variance())
	distance := f.row("distance")
	distance.Predicted = within(q.distance(binomial.CDF), kolmogorovTolerance(len(s)))
	return []Row{mean, spread, distance.of(s, q.distance(s.distribution))}
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
	ones, variance := analysis.Ones(analysis.Standard, m, n, k)
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

// kolmogorovTolerance bounds the distance of a sample's distribution from the
// true one, whatever it is (Dvoretzky, Kiefer and Wolfowitz; Massart 1990).
func kolmogorovTolerance(trials int) float64 {
	return math.Sqrt(math.Log(2/falseAlarm) / (2 * float64(trials)))
}
