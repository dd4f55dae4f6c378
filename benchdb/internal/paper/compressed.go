package paper

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gravelkv/gravel/benchdb/internal/paper/analysis"
	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/compress"
)

const compressedPaper = "Mitzenmacher: Compressed Bloom Filters (2002)"

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
		paper: compressedPaper,
		title: "Rate and stored size of arrays of m bits per key",
		note:  "z: bits stored per key, by compress.Arithmetic",
	}
	for _, printed := range p.Compressed.Rows {
		e.cases = append(e.cases, printed.rates(), printed.sizes(), computed(printed.planned))
	}
	return e
}

func (c printedCompressed) filter() flat {
	return flat{double, int(math.Round(c.M.Value * compressedKeys)), compressedKeys, c.K}
}

func (c printedCompressed) name() string { return fmt.Sprintf("m=%v k=%d", c.M.Value, c.K) }

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

func (c printedCompressed) rateOf(m float64) float64 { return bloom.Rate(m, c.K) }

// row holds the mean of a sample to a function of m bits per key, which may lose
// something in coding.
func (c printedCompressed) row(point string, s sample, published Printed, of func(m float64) float64, loss float64) []Row {
	tolerance := s.tolerance() + loss
	row := c.filter().row(point)
	row.Case = c.name()
	row.Published = within(published.Value, tolerance+published.HalfUnit+c.rounding(of))
	row.Predicted = within(of(c.M.Value), tolerance)
	return []Row{row.of(s, s.mean())}
}

func (c printedCompressed) rates() measurement {
	queries := math.Ceil(100 / c.FPR.Value)
	return sampled(fmt.Sprintf("compressed rates %+v", c), compressedTrials,
		positives(c.filter().options(), compressedKeys, int(queries)),
		func(s sample) []Row { return c.row("rate", s.over(queries), c.FPR, c.rateOf, 0) })
}

// codingLoss is what compress.Arithmetic promises to add to the entropy.
const (
	codingLoss      = 0.001
	codingLossBytes = 48
)

func (c printedCompressed) sizes() measurement {
	sizeOf, loss := func(m float64) float64 { return m }, 0.0
	if c.packed() {
		sizeOf = func(m float64) float64 { return analysis.StoredBits(m, c.K) }
		loss = codingLoss*c.Z.Value + 8.0*codingLossBytes/compressedKeys
	}
	bitsPerKey := func(f *filter, _ *rand.Rand) float64 {
		stored := f.bits()
		if c.packed() {
			stored = compress.Arithmetic.Encode(nil, stored)
		}
		return 8 * float64(len(stored)) / compressedKeys
	}
	return sampled(fmt.Sprintf("compressed sizes %+v", c), compressedTrials,
		built(c.filter().options(), compressedKeys, bitsPerKey),
		func(s sample) []Row { return c.row("z", s, c.Z, sizeOf, loss) })
}

// planned is the rate that the planner finds for the stored size, if it may use
// an array as large as the published one.
func (c printedCompressed) planned() []Row {
	if !c.packed() {
		return nil
	}
	m, k := analysis.BestStored(c.Z.Value, c.M.Value)
	row := formula(c.name(), "planned rate", c.FPR, bloom.Rate(m, k))
	*row.Published.Tolerance += c.rounding(c.rateOf)
	return []Row{row}
}
