package paper

import (
	"context"
	"fmt"
	"math"

	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/theory"
)

const burnsPaper = "Burns: On Occupancy Moments and Bloom Filter Efficiency"

// smallTrials is how many filters of a few keys stand for one trial of others:
// they cost microseconds, and their rates scatter by as much as themselves.
const smallTrials = 100

func burns(p *Published) []Experiment {
	return []Experiment{examples(p), figure6(), figure7(p), figure8(p), efficiency(p), estimators()}
}

// model is one of the two filters that Burns compares, in package theory and in
// package bloom.
type model struct {
	theory.Model
	scheme bloom.Scheme
}

var (
	standard = model{theory.Standard, bloom.Independent}
	classic  = model{theory.Classic, bloom.Classic}
)

// smallFilter is a filter of m bits, n keys and k probes.
type smallFilter struct {
	model
	m, n, k int
}

func (f smallFilter) config() bloom.Config {
	return bloom.Config{BitsPerKey: float64(f.m) / float64(f.n), Layout: bloom.Flat, Scheme: f.scheme, Probes: f.k}
}

func (f smallFilter) predicted() float64 { return f.Rate(f.m, f.n, f.k) }

// row holds the mean of a sample to a predicted one.
func (f smallFilter) row(point string, s sample, predicted float64) Row {
	return Row{
		Case:      f.String(),
		Point:     point,
		Filter:    &Filter{Scheme: f.String(), Keys: f.n, Bits: f.m, Probes: f.k},
		Predicted: within(predicted, s.tolerance()),
		Measured:  new(s.mean()),
		Trials:    len(s),
	}.judged()
}

// asked measures the rate by asking for absent keys.
func (f smallFilter) asked(ctx context.Context, l *Lab, point string) (Row, error) {
	// Less than one false positive per filter: more would mostly repeat the
	// filter's own distance from the mean.
	queries := int(math.Ceil(0.2 / f.predicted()))
	s, err := l.sample(ctx, fmt.Sprintf("asked %+v", f), smallTrials*l.Trials, positives(f.config(), anyKey, f.n, queries))
	if err != nil {
		return Row{}, err
	}
	rates := s.of(func(q float64) float64 { return q / float64(queries) })
	return f.row(point, rates, f.predicted()), nil
}

// counted measures the rate by counting ones: of X ones, (X/m)^k or
// C(X,k)/C(m,k) of all absent keys are false positives.
func (f smallFilter) counted(ctx context.Context, l *Lab, point string) (Row, error) {
	s, err := l.sample(ctx, fmt.Sprintf("counted %+v", f), smallTrials*l.Trials, ones(f.config(), f.n))
	if err != nil {
		return Row{}, err
	}
	return f.row(point, s.of(f.rateOf), f.predicted()), nil
}

func (f smallFilter) rateOf(ones float64) float64 {
	rate := 1.0
	for i := range f.k {
		if f.Model == theory.Standard {
			rate *= ones / float64(f.m)
		} else {
			rate *= max(ones-float64(i), 0) / float64(f.m-i)
		}
	}
	return rate
}

// examples are the exact rates of sections 3.4 and 5, by formula to all printed
// digits and by asking.
func examples(p *Published) Experiment {
	e := Experiment{paper: burnsPaper, title: "Section 3.4: exact rates of 4 keys in 64 bits"}
	for _, printed := range p.Exact.Rows {
		for _, c := range []struct {
			model
			rate *Printed
		}{{standard, printed.Standard}, {classic, printed.Classic}} {
			if c.rate == nil {
				continue
			}
			f := smallFilter{c.model, printed.M, printed.N, printed.K}
			e.cases = append(e.cases, func(ctx context.Context, l *Lab) ([]Row, error) {
				row, err := f.asked(ctx, l, "asked")
				return []Row{formula(f.String(), fmt.Sprintf("k=%d", f.k), *c.rate, f.predicted()), row}, err
			})
		}
	}
	return e
}
