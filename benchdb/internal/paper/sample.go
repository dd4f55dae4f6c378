package paper

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// falseAlarm is the chance that a right filter fails one comparison. The
// quantiles below take means for normal. In so far a tail that costs up to a
// factor of 20 where trials are skewed and few. A run has fewer than
// maxComparisons, so a run of right filters fails with a chance below 1e-6.
const (
	falseAlarm     = 1e-10
	maxComparisons = 500
)

// trials is how often to run what a paper runs a number of times. Fewer than ten
// trials would tell little of their scatter.
func (s Settings) trials(published int) int {
	return max(10, int(math.Round(float64(published)*float64(s.Trials)/PublishedTrials)))
}

// trial is one run of an experiment with random numbers of its own.
type trial[T any] func(rng *rand.Rand) (T, error)

// run runs trials on all processors and returns their outcomes, the same ones on
// any number of them. The name and the seed decide their random numbers. What
// newTrial returns runs one trial after another, and may use its memory again.
func run[T any](ctx context.Context, s Settings, name string, trials int, newTrial func() trial[T]) ([]T, error) {
	hash := fnv.New64a()
	hash.Write([]byte(name))
	stream := hash.Sum64()

	outcomes := make([]T, trials)
	idle := sync.Pool{New: func() any { return newTrial() }}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range outcomes {
		group.Go(func() (err error) {
			if err := ctx.Err(); err != nil {
				return err
			}
			try := idle.Get().(trial[T])
			defer idle.Put(try)
			outcomes[i], err = try(rand.New(rand.NewPCG(s.Seed^stream, uint64(i))))
			return err
		})
	}
	return outcomes, group.Wait()
}

// sample is the outcomes of independent trials.
type sample []float64

func (s sample) mean() float64 { return stat.Mean(s, nil) }

func (s sample) variance() float64 { return stat.Variance(s, nil) }

// over returns the sample of the outcomes divided by a number.
func (s sample) over(n float64) sample {
	return sampleOf(s, func(v float64) float64 { return v / n })
}

// sampleOf returns the sample of a function of outcomes.
func sampleOf[T any](outcomes []T, f func(T) float64) sample {
	s := make(sample, len(outcomes))
	for i, o := range outcomes {
		s[i] = f(o)
	}
	return s
}

// tolerance of the mean about the true one: Student's t.
func (s sample) tolerance() float64 { return s.toleranceBeside(math.Inf(1)) }

// toleranceBeside is the tolerance of the mean about another mean, of a number
// of trials with the same scatter.
func (s sample) toleranceBeside(trials float64) float64 {
	return quantile(len(s)-1) * math.Sqrt(s.variance()*(1/float64(len(s))+1/trials))
}

// quantile is what the size of a variable with Student's distribution exceeds
// with the chance of a false alarm.
func quantile(degrees int) float64 {
	if degrees < 200 {
		return -distuv.StudentsT{Sigma: 1, Nu: float64(degrees)}.Quantile(falseAlarm / 2)
	}
	// Gonum's quantile is 5 times too large at 10⁵ degrees of freedom; the
	// expansion about the normal one is within 1e-4 from 200 on (Abramowitz and
	// Stegun 26.7.5).
	z, n := -distuv.UnitNormal.Quantile(falseAlarm/2), float64(degrees)
	return z + (z*z*z+z)/(4*n) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*n*n)
}

// varianceTolerance is the tolerance of the variance about a true one that is
// known, of outcomes which are close to normal but for an excess kurtosis.
func (s sample) varianceTolerance(true, kurtosis float64) float64 {
	z := distuv.UnitNormal.Quantile(falseAlarm / 2)
	return -z * true * math.Sqrt((2+kurtosis)/float64(len(s)-1))
}
