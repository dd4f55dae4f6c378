package paper

import (
	"context"
	"fmt"

	"github.com/gravelkv/gravel/blockfilter/theory"
)

// curve is a Series of y over whole x from first to last.
func curve(name string, first, last int, y func(x int) float64) Series {
	s := Series{Name: name}
	for x := first; x <= last; x++ {
		s.X = append(s.X, float64(x))
		s.Y = append(s.Y, y(x))
	}
	return s
}

// figure6 is the rate of both filters over k.
func figure6() Experiment {
	const m, n = 100, 20
	e := Experiment{paper: burnsPaper, title: "Figure 6: false-positive rate over k, m = 100, n = 20"}
	for _, c := range []model{standard, classic} {
		for _, k := range []int{1, 2, 3, 4, 5, 6, 8, 10, 14, 20} {
			f := smallFilter{c, m, n, k}
			e.cases = append(e.cases, func(ctx context.Context, l *Lab) ([]Row, error) {
				row, err := f.asked(ctx, l, fmt.Sprintf("k=%d", f.k))
				return []Row{row}, err
			})
		}
	}
	e.series = func() []Series {
		return []Series{
			curve("f_C", 1, 40, func(k int) float64 { return theory.Classic.Rate(m, n, k) }),
			curve("f_S", 1, 40, func(k int) float64 { return theory.Standard.Rate(m, n, k) }),
		}
	}
	return e
}

// figure7 is the same rates between their bounds, near the best k.
func figure7(p *Published) Experiment {
	const m, n, first, last = 1000, 20, 25, 50
	e := Experiment{
		paper: burnsPaper,
		title: "Figure 7: rates and bounds for k = 25 to 50, m = 1000, n = 20",
		note:  "rates from the ones of filters",
	}
	e.cases = append(e.cases, bestProbes(p, m, n), func(context.Context, *Lab) ([]Row, error) {
		outside := 0
		for k := first; k <= last; k++ {
			lower, middle, upper := theory.BoundL(m, n, k), theory.BoundM(m, n, k), theory.BoundU(m, n, k)
			fC, fS := theory.Classic.Rate(m, n, k), theory.Standard.Rate(m, n, k)
			if !(lower <= fC && fC <= upper && middle <= fS && fS <= upper && lower <= middle) {
				outside++
			}
		}
		return []Row{none("bounds", "broken", outside)}, nil
	})
	for _, c := range []model{standard, classic} {
		for _, k := range []int{25, 33, 34, 42, 50} {
			f := smallFilter{c, m, n, k}
			e.cases = append(e.cases, func(ctx context.Context, l *Lab) ([]Row, error) {
				row, err := f.counted(ctx, l, fmt.Sprintf("k=%d", f.k))
				return []Row{row}, err
			})
		}
	}
	e.series = func() []Series {
		return []Series{
			curve("U", first, last, func(k int) float64 { return theory.BoundU(m, n, k) }),
			curve("f_S", first, last, func(k int) float64 { return theory.Standard.Rate(m, n, k) }),
			curve("M", first, last, func(k int) float64 { return theory.BoundM(m, n, k) }),
			curve("f_C", first, last, func(k int) float64 { return theory.Classic.Rate(m, n, k) }),
			curve("L", first, last, func(k int) float64 { return theory.BoundL(m, n, k) }),
		}
	}
	return e
}

// bestProbes are the published k of m bits and n keys: the best by exact rates
// and the estimate.
func bestProbes(p *Published, m, n int) measurement {
	return func(context.Context, *Lab) ([]Row, error) {
		var rows []Row
		for _, printed := range p.Exact.Rows {
			if printed.M != m || printed.N != n {
				continue
			}
			best, _ := theory.Standard.BestProbes(m, n)
			rows = append(rows, formula("best k", "standard", *printed.BestKStandard, float64(best)))
			best, _ = theory.Classic.BestProbes(m, n)
			rows = append(rows, formula("best k", "classic", *printed.BestKClassic, float64(best)),
				formula("best k", "estimate", *printed.KEstimate, theory.Standard.EstimateProbes(float64(m), float64(n))))
		}
		return rows, nil
	}
}

// figure8 is the best k over n, which the usual estimate misses for few keys.
func figure8(p *Published) Experiment {
	const m, last = 1024, 15
	e := Experiment{paper: burnsPaper, title: "Figure 8 and section 5: best k, m = 1024"}
	best := func(f theory.Model, n int) float64 {
		k, _ := f.BestProbes(m, n)
		return float64(k)
	}
	e.cases = append(e.cases, bestProbes(p, m, 5), func(context.Context, *Lab) ([]Row, error) {
		outside := 0
		for n := 1; n <= last; n++ {
			kC, kS, bitsPerKey := best(theory.Classic, n), best(theory.Standard, n), float64(m)/float64(n)
			if !(bitsPerKey/2 <= kC && kC <= kS && kS <= theory.Standard.EstimateProbes(m, float64(n))) {
				outside++
			}
		}
		return []Row{none("conjecture 24", "broken", outside)}, nil
	})
	for _, printed := range p.Estimate.Rows {
		e.cases = append(e.cases, printed.rows)
	}
	e.series = func() []Series {
		return []Series{
			curve("k*", 1, last, func(n int) float64 { return theory.Standard.EstimateProbes(m, float64(n)) }),
			curve("k*_S", 1, last, func(n int) float64 { return best(theory.Standard, n) }),
			curve("k*_C", 1, last, func(n int) float64 { return best(theory.Classic, n) }),
		}
	}
	return e
}

// rows are what the estimated k costs against the best one, in percent.
func (c printedCost) rows(context.Context, *Lab) ([]Row, error) {
	f := theory.Standard
	if c.Filter == theory.Classic.String() {
		f = theory.Classic
	}
	_, best := f.BestProbes(c.M, c.N)
	rate := f.Rate(c.M, c.N, c.K)
	efficiency := func(rate float64) float64 { return theory.Efficiency(float64(c.M), float64(c.N), rate) }
	return []Row{
		formula(c.Filter, "rate +%", c.Rate, 100*(rate/best-1)),
		formula(c.Filter, "efficiency -%", c.Efficiency, 100*(1-efficiency(rate)/efficiency(best))),
	}, nil
}

// efficiency is Figures 9 and 10: the efficiency of both filters over n, for
// each k.
func efficiency(p *Published) Experiment {
	const m = 100
	e := Experiment{
		paper: burnsPaper,
		title: "Figures 9 and 10: efficiency, m = 100",
		note:  "measured from the ones of filters",
	}
	for _, printed := range p.Exact.Rows {
		for _, c := range []struct {
			model
			largest *Printed
		}{{standard, printed.EfficiencyStandard}, {classic, printed.EfficiencyClassic}} {
			if c.largest == nil {
				continue
			}
			f := smallFilter{c.model, printed.M, printed.N, printed.K}
			e.cases = append(e.cases, func(ctx context.Context, l *Lab) ([]Row, error) {
				row, err := f.efficiency(ctx, l)
				k, n := f.mostEfficient()
				return []Row{
					formula(f.String(), "largest", *c.largest, f.MaxEfficiency(f.m)),
					formula(f.String(), "at k", whole(f.k), float64(k)),
					formula(f.String(), "and n", whole(f.n), float64(n)),
					row,
				}, err
			})
		}
	}
	e.series = func() []Series {
		var all []Series
		for _, f := range []theory.Model{theory.Standard, theory.Classic} {
			for k := 1; k <= 20; k++ {
				all = append(all, curve(fmt.Sprintf("%v k=%d", f, k), 1, m, func(n int) float64 {
					return theory.Efficiency(m, float64(n), f.Rate(m, n, k))
				}))
			}
		}
		return all
	}
	return e
}

// mostEfficient finds the k and n of the largest efficiency at m bits.
func (f smallFilter) mostEfficient() (k, n int) {
	largest := 0.0
	for tried := 1; tried <= f.m/2; tried++ {
		if at, efficiency := f.PeakEfficiency(f.m, tried); efficiency > largest {
			k, n, largest = tried, at, efficiency
		}
	}
	return k, n
}

// efficiency measures the efficiency of filters by counting ones.
func (f smallFilter) efficiency(ctx context.Context, l *Lab) (Row, error) {
	row, err := f.counted(ctx, l, fmt.Sprintf("n=%d k=%d", f.n, f.k))
	if err != nil {
		return row, err
	}
	of := func(rate float64) float64 { return theory.Efficiency(float64(f.m), float64(f.n), rate) }
	rate, tolerance := row.Predicted.Value, *row.Predicted.Tolerance
	row.Measured = new(of(*row.Measured))
	// By how much the efficiency changes within the rate's tolerance. A single
	// key of the classic filter leaves no scatter but the last bits of sums.
	row.Predicted = within(of(rate), max(of(rate-tolerance)-of(rate), 1e-9))
	return row.judged(), nil
}
