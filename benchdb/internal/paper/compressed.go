package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/theory"
	"github.com/gravelkv/gravel/compress"
)

// compressedKeys is how many keys the compressed filters hold.
const compressedKeys = 100_000

// compressedTrials is how often they are built where Kirsch and Mitzenmacher
// have 10,000 trials: sizes and rates of filters so large scatter little.
const compressedTrials = 200

// compressedFilters repeats the tables of "Compressed Bloom Filters": a sparse
// array with few probes, stored by an entropy coder, beside the best array that
// is stored as it is.
func compressedFilters(p *Published) Experiment {
	e := Experiment{
		paper: "Mitzenmacher: Compressed Bloom Filters (2002)",
		title: "Rate and stored size of arrays of m bits per key",
		note:  "z: bits stored per key, by compress.Arithmetic; planned by compress.PlanWhole",
	}
	for _, printed := range p.Compressed.Rows {
		e.cases = append(e.cases, printed.rates, printed.sizes, printed.planned)
	}
	return e
}

func (c printedCompressed) config() bloom.Config {
	return bloom.Config{BitsPerKey: c.M.Value, Layout: bloom.Flat, Scheme: bloom.Double, Probes: c.K}
}

func (c printedCompressed) name() string { return fmt.Sprintf("m=%v k=%d", c.M.Value, c.K) }

func (c printedCompressed) filter() *Filter {
	return &Filter{Scheme: "double", Keys: compressedKeys, Bits: int(math.Ceil(c.M.Value * compressedKeys)), Probes: c.K}
}

// packed tells that the array is stored compressed: the others have z = m.
func (c printedCompressed) packed() bool { return c.Z.Value < c.M.Value }

// rounding is how much the rounding of the printed m may change a value of it.
// A whole m is exact.
func (c printedCompressed) rounding(of func(m float64) float64) float64 {
	if c.M.Value == math.Trunc(c.M.Value) {
		return 0
	}
	return math.Abs(of(c.M.Value-c.M.HalfUnit) - of(c.M.Value))
}

func (c printedCompressed) rates(ctx context.Context, l *Lab) ([]Row, error) {
	queries := int(math.Ceil(100 / c.FPR.Value))
	s, err := l.sample(ctx, fmt.Sprintf("compressed rates %+v", c), l.trials(compressedTrials),
		positives(c.config(), anyKey, compressedKeys, queries))
	if err != nil {
		return nil, err
	}
	rates := s.of(func(q float64) float64 { return q / float64(queries) })
	rateOf := func(m float64) float64 { return theory.BloomRate(m, c.K) }
	return []Row{Row{
		Case:      c.name(),
		Point:     "rate",
		Filter:    c.filter(),
		Published: within(c.FPR.Value, rates.tolerance()+c.FPR.HalfUnit+c.rounding(rateOf)),
		Predicted: within(rateOf(c.M.Value), rates.tolerance()),
		Measured:  new(rates.mean()),
		Trials:    len(s),
	}.judged()}, nil
}

// codingLoss is what compress.Arithmetic promises to add to the entropy.
const (
	codingLoss      = 0.001
	codingLossBytes = 48
)

func (c printedCompressed) sizes(ctx context.Context, l *Lab) ([]Row, error) {
	s, err := l.sample(ctx, fmt.Sprintf("compressed sizes %+v", c), l.trials(compressedTrials), func() trial[float64] {
		f := filter{family: c.config(), draw: anyKey}
		var packed []byte
		return func(rng *rand.Rand) (float64, error) {
			err := f.build(rng, compressedKeys)
			packed = append(packed[:0], f.bits()...)
			if c.packed() {
				packed = compress.Arithmetic.Encode(packed[:0], f.bits())
			}
			return 8 * float64(len(packed)) / compressedKeys, err
		}
	})
	if err != nil {
		return nil, err
	}
	sizeOf, loss := func(m float64) float64 { return m }, 0.0
	if c.packed() {
		sizeOf = func(m float64) float64 { return theory.StoredBits(m, c.K) }
		loss = codingLoss*c.Z.Value + 8.0*codingLossBytes/compressedKeys
	}
	return []Row{Row{
		Case:      c.name(),
		Point:     "z",
		Filter:    c.filter(),
		Published: within(c.Z.Value, s.tolerance()+loss+c.Z.HalfUnit+c.rounding(sizeOf)),
		Predicted: within(sizeOf(c.M.Value), s.tolerance()+loss),
		Measured:  new(s.mean()),
		Trials:    len(s),
	}.judged()}, nil
}

// planned is the rate that the planner finds for the stored size, if it may use
// an array as large as the published one.
func (c printedCompressed) planned(context.Context, *Lab) ([]Row, error) {
	if !c.packed() {
		return nil, nil
	}
	plan := compress.PlanWhole(c.Z.Value, c.M.Value)
	row := formula(c.name(), "planned rate", c.FPR, plan.FPR)
	rateOf := func(m float64) float64 { return theory.BloomRate(m, c.K) }
	*row.Published.Tolerance += c.rounding(rateOf)
	return []Row{row.judged()}, nil
}
