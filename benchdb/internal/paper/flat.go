package paper

import (
	"fmt"

	"github.com/gravelkv/gravel/benchdb/internal/paper/analysis"
	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/blockfilter/bloom"
)

// scheme is a way to derive the probes of a flat filter.
type scheme struct {
	name  string
	built string                    // as in the text of policies
	rate  func(m, n, k int) float64 // exact, or within 0.2 %
}

var (
	standard  = scheme{"standard", "independent", analysis.Standard.Rate}
	classic   = scheme{"classic", "classic", analysis.Classic.Rate}
	partition = twoHashes("partition", "partition", bloom.Partition)
	double    = twoHashes("double", "double", bloom.Double)
	enhanced2 = twoHashes("enhanced i²", "enhanced2", bloom.Enhanced2)
	enhanced3 = twoHashes("enhanced i³", "enhanced3", bloom.Enhanced3)
)

// twoHashes returns a scheme that derives all probes from two hashes.
func twoHashes(name, built string, s bloom.Scheme) scheme {
	return scheme{name, built, func(m, n, k int) float64 { return analysis.SchemeRate(s, m, n, k) }}
}

// flat is a flat filter of m bits, n keys and k probes.
type flat struct {
	scheme
	m, n, k int
}

func (f flat) options() blockfilter.Options {
	return blockfilter.Options{
		Family: "bloom", BitsPerKey: float64(f.m) / float64(f.n), Layout: "flat", Scheme: f.built, Probes: f.k,
	}
}

func (f flat) predicted() float64 { return f.rate(f.m, f.n, f.k) }

// String names the random numbers of its trials.
func (f flat) String() string { return fmt.Sprintf("%s m=%d n=%d k=%d", f.name, f.m, f.n, f.k) }

// row is a row about the filter, to be completed.
func (f flat) row(point string) Row {
	return Row{Case: f.name, Point: point}
}

// mean holds the mean of a sample to a predicted one.
func (f flat) mean(point string, s sample, predicted float64) Row {
	row := f.row(point)
	row.Predicted = within(predicted, s.tolerance())
	return row.of(s, s.mean())
}

// variance holds the variance of a sample, of outcomes with an excess kurtosis,
// to a predicted one.
func (f flat) variance(point string, s sample, predicted, kurtosis float64) Row {
	row := f.row(point)
	row.Predicted = within(predicted, s.varianceTolerance(predicted, kurtosis))
	return row.of(s, s.variance())
}
