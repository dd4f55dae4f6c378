package paper

import (
	"context"
	"fmt"
	"math"

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
	for _, s := range []scheme{independent, partition, double, enhanced2, enhanced3} {
		for _, n := range []int{100, 1000, 10_000, 100_000} {
			f := schemeFilter{scheme: s, n: n, c: c, k: k, draw: anyKey}
			e.cases = append(e.cases, func(ctx context.Context, l *Lab) ([]Row, error) {
				row, err := f.rate(ctx, l, p)
				return []Row{row}, err
			})
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

func (f schemeFilter) predicted() float64 { return f.theory.FilterRate(f.c*f.n, f.n, f.k) }

// figureResolution is the least distance from p, as a share of it, that can be
// seen in the figure, whose axis spans a decade or more.
const figureResolution = 0.2

// rate measures a point of Figure 1, where the published value is p.
func (f schemeFilter) rate(ctx context.Context, l *Lab, p float64) (Row, error) {
	repeat := f.repeat(l.Trials)
	queries := repeat * int(math.Ceil(10/p))
	s, err := l.sample(ctx, fmt.Sprintf("figure 1 %s %d %d", f.name, f.n, f.c), l.Trials/repeat,
		positives(f.config(), f.draw, f.n, queries))
	if err != nil {
		return Row{}, err
	}
	rates := s.of(func(q float64) float64 { return q / float64(queries) })
	tolerance := rates.tolerance()
	published := shown(p)
	if f.nearLimit() {
		published = within(p, tolerance+figureResolution*p)
	}
	return Row{
		Case:      f.name,
		Point:     fmt.Sprintf("n=%d", f.n),
		Filter:    &Filter{Scheme: f.name, Keys: f.n, Bits: f.c * f.n, Probes: f.k},
		Published: published,
		Predicted: within(f.predicted(), tolerance),
		Measured:  new(rates.mean()),
		Trials:    len(rates),
	}.judged(), nil
}

// repeat is how many times the paper's number of queries go to one filter. The
// rates of filters of many keys differ by less than 0.1 %, so in runs shorter
// than the paper's a tenth of them, but no fewer than 100, is asked ten times as
// much.
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
