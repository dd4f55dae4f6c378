package paper

import (
	"fmt"
	"math"

	"github.com/gravelkv/gravel/benchdb/internal/paper/analysis"
)

const burnsPaper = "Burns: On Occupancy Moments and Bloom Filter Efficiency (2019)"

// smallTrials is how many filters of a few keys stand for one trial of others.
// They cost microseconds, and their rates scatter by as much as themselves.
const smallTrials = 100

func burns(p *Published) []Experiment {
	return []Experiment{examples(p), figure6(), figure7(p), figure8(p), efficiency(p), estimators()}
}

// burnsModels are the two filters that Burns compares.
var burnsModels = []analysis.Model{analysis.Standard, analysis.Classic}

// burnsFilter is one of them, of m bits, n keys and k probes.
type burnsFilter struct {
	analysis.Model
	flat
}

func newBurnsFilter(f analysis.Model, m, n, k int) burnsFilter {
	if f == analysis.Classic {
		return burnsFilter{f, flat{classic, m, n, k}}
	}
	return burnsFilter{f, flat{standard, m, n, k}}
}

func (p printedBurns) filter() burnsFilter {
	for _, f := range burnsModels {
		if f.String() == p.Filter {
			return newBurnsFilter(f, p.M, p.N, p.K)
		}
	}
	panic(fmt.Sprintf("%q is no filter of Burns'", p.Filter)) // a published value is wrong
}

// asked measures the rate by asking for absent keys.
func (f burnsFilter) asked(point string, others ...Row) measurement {
	// Less than one false positive per filter: more would mostly repeat the
	// filter's own distance from the mean.
	queries := math.Ceil(0.2 / f.predicted())
	return sampled("asked "+f.flat.String(), smallTrials*PublishedTrials, positives(f.options(), f.n, int(queries)),
		func(s sample) []Row { return append(others, f.mean(point, s.over(queries), f.predicted())) })
}

// counted makes rows of the rates that follow from the ones of filters.
func (f burnsFilter) counted(rows func(rates sample) []Row) measurement {
	return sampled("counted "+f.flat.String(), smallTrials*PublishedTrials, ones(f.options(), f.n),
		func(s sample) []Row { return rows(sampleOf(s, f.rateOf)) })
}

// rateOf is the rate of a filter with so many ones, X: (X/m)^k or C(X,k)/C(m,k)
// of all absent keys are false positives.
func (f burnsFilter) rateOf(ones float64) float64 {
	rate := 1.0
	for i := range f.k {
		if f.Model == analysis.Standard {
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
		f := printed.filter()
		e.cases = append(e.cases, f.asked("asked", formula(f.name, fmt.Sprintf("k=%d", f.k), printed.Rate, f.predicted())))
	}
	return e
}

// figure6 is the rate of both filters over k.
func figure6() Experiment {
	const m, n = 100, 20
	e := Experiment{
		paper: burnsPaper,
		title: "Figure 6: false-positive rate over k, m = 100, n = 20",
	}
	for _, model := range burnsModels {
		for _, k := range []int{1, 2, 3, 4, 5, 6, 8, 10, 14, 20} {
			e.cases = append(e.cases, newBurnsFilter(model, m, n, k).asked(fmt.Sprintf("k=%d", k)))
		}
	}
	return e
}

// figure7 is the same rates between their bounds, near the best k.
func figure7(p *Published) Experiment {
	const m, n, first, last = 1000, 20, 25, 50
	broken := func() []Row {
		outside := 0.0
		for k := first; k <= last; k++ {
			lower, middle, upper := analysis.BoundL(m, n, k), analysis.BoundM(m, n, k), analysis.BoundU(m, n, k)
			fC, fS := analysis.Classic.Rate(m, n, k), analysis.Standard.Rate(m, n, k)
			if !(lower <= fC && fC <= upper && middle <= fS && fS <= upper && lower <= middle) {
				outside++
			}
		}
		return []Row{formula("bounds", "broken", Printed{}, outside)}
	}
	e := Experiment{
		paper: burnsPaper,
		title: "Figure 7: rates and bounds for k = 25 to 50, m = 1000, n = 20",
		note:  "rates from the ones of filters",
		cases: []measurement{bestProbes(p, m, n), computed(broken)},
	}
	for _, model := range burnsModels {
		for _, k := range []int{25, 33, 34, 42, 50} {
			f := newBurnsFilter(model, m, n, k)
			e.cases = append(e.cases, f.counted(func(rates sample) []Row {
				return []Row{f.mean(fmt.Sprintf("k=%d", f.k), rates, f.predicted())}
			}))
		}
	}
	return e
}

// bestProbes are the published k of m bits and n keys: the best by exact rates
// and the estimate.
func bestProbes(p *Published, m, n int) measurement {
	return computed(func() (rows []Row) {
		for _, printed := range p.Best.Rows {
			if printed.M == m && printed.N == n {
				rows = append(rows,
					formula("best k", "standard", printed.Standard, best(analysis.Standard, m, n)),
					formula("best k", "classic", printed.Classic, best(analysis.Classic, m, n)),
					formula("best k", "estimate", printed.Estimate, analysis.EstimateProbes(analysis.Standard, float64(m), float64(n))))
			}
		}
		return rows
	})
}

func best(f analysis.Model, m, n int) float64 {
	k, _ := analysis.BestProbes(f, m, n)
	return float64(k)
}

// figure8 is the best k over n, which the usual estimate misses for few keys.
func figure8(p *Published) Experiment {
	const m, last = 1024, 15
	bestStandard := func(n int) float64 { return best(analysis.Standard, m, n) }
	bestClassic := func(n int) float64 { return best(analysis.Classic, m, n) }
	estimate := func(n int) float64 { return analysis.EstimateProbes(analysis.Standard, m, float64(n)) }
	broken := func() []Row {
		outside := 0.0
		for n := 1; n <= last; n++ {
			bitsPerKey, kC, kS := float64(m)/float64(n), bestClassic(n), bestStandard(n)
			if !(bitsPerKey/2 <= kC && kC <= kS && kS <= estimate(n)) {
				outside++
			}
		}
		return []Row{formula("conjecture 24", "broken", Printed{}, outside)}
	}
	e := Experiment{
		paper: burnsPaper,
		title: "Figure 8 and section 5: best k, m = 1024",
		cases: []measurement{bestProbes(p, m, 5), computed(broken)},
	}
	for _, printed := range p.Estimate.Rows {
		e.cases = append(e.cases, computed(printed.cost))
	}
	return e
}

// cost is what the estimated k costs against the best one, in percent.
func (p printedBurns) cost() []Row {
	f := p.filter()
	_, best := analysis.BestProbes(f.Model, f.m, f.n)
	return []Row{
		formula(f.name, "rate +%", p.Rate, 100*(f.predicted()/best-1)),
		formula(f.name, "efficiency -%", p.Efficiency, 100*(1-f.efficiencyAt(f.predicted())/f.efficiencyAt(best))),
	}
}

// efficiencyAt is the efficiency of a filter with a rate.
func (f burnsFilter) efficiencyAt(rate float64) float64 {
	return analysis.Efficiency(float64(f.m), float64(f.n), rate)
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
	for _, printed := range p.Efficiency.Rows {
		f := printed.filter()
		e.cases = append(e.cases, f.counted(func(rates sample) []Row {
			k, n := f.mostEfficient()
			return []Row{
				formula(f.name, "largest", printed.Efficiency, analysis.MaxEfficiency(f.Model, f.m)),
				formula(f.name, "at k", whole(f.k), float64(k)),
				formula(f.name, "and n", whole(f.n), float64(n)),
				f.efficiency(rates),
			}
		}))
	}
	return e
}

// mostEfficient finds the k and n of the largest efficiency at m bits.
func (f burnsFilter) mostEfficient() (k, n int) {
	largest := 0.0
	for tried := 1; tried <= f.m/2; tried++ {
		if at, efficiency := analysis.PeakEfficiency(f.Model, f.m, tried); efficiency > largest {
			k, n, largest = tried, at, efficiency
		}
	}
	return k, n
}

// efficiency measures the efficiency of filters by their rates.
func (f burnsFilter) efficiency(rates sample) Row {
	predicted := f.efficiencyAt(f.predicted())
	// By how much the efficiency changes within the rate's tolerance. A single
	// key of the classic filter leaves no scatter but the last bits of sums.
	tolerance := max(f.efficiencyAt(f.predicted()-rates.tolerance())-predicted, 1e-9)
	row := f.row(fmt.Sprintf("n=%d k=%d", f.n, f.k))
	row.Predicted = within(predicted, tolerance)
	return row.of(rates, f.efficiencyAt(rates.mean()))
}
