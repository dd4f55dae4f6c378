package paper

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/gravelkv/gravel/pebbleext/hotkeys/countmin"
)

const (
	sketchKeys   = 1000
	sketchLength = 20_000
	sketchTrials = 1000
)

// countMin is Theorem 9.1 on zipfian streams. The sketch on two hash functions
// never estimates a key's count too low. It estimates it too high by more than a
// share ε of all counts with a chance of at most 2/εw² + (2/εw)^d ≤ ε.
func countMin() Experiment {
	e := Experiment{
		paper: kirschMitzenmacherPaper,
		title: "Theorem 9.1: Count-Min sketch, share of keys estimated too high by εN",
		note:  "bounds: ε, and 2/εw² + (2/εw)^d; N: length of a stream of zipfian exponent s",
	}
	for _, maxError := range []float64{0.1, 0.01, 0.001} {
		for _, exponent := range []float64{1.01, 1.5, 2} {
			e.cases = append(e.cases, stream{maxError, exponent}.rows)
		}
	}
	return e
}

// stream is a zipfian stream, counted with an error.
type stream struct{ maxError, exponent float64 }

func (st stream) rows(ctx context.Context, s Settings) ([]Row, error) {
	sketch, err := countmin.New(st.maxError, 0)
	if err != nil {
		return nil, err
	}
	return sampled(fmt.Sprintf("sketch %+v", st), sketchTrials, func() trial[float64] { return st.tooHigh },
		func(tooHigh sample) []Row {
			row := Row{
				Case:      fmt.Sprintf("ε=%v", st.maxError),
				Point:     fmt.Sprintf("s=%v", st.exponent),
				Published: atMost(st.maxError, tooHigh.tolerance()),
				Predicted: atMost(sketch.FailureProbability(), tooHigh.tolerance()),
			}
			return []Row{row.of(tooHigh, tooHigh.mean())}
		})(ctx, s)
}

// tooHigh counts a stream in a sketch of its own seed and returns the share of
// keys that are estimated too high.
func (st stream) tooHigh(rng *rand.Rand) (float64, error) {
	sketch, err := countmin.New(st.maxError, rng.Uint64())
	if err != nil {
		return 0, err
	}
	zipf := rand.NewZipf(rng, st.exponent, 1, sketchKeys-1)
	counts := make([]uint64, sketchKeys)
	var key [8]byte
	for range sketchLength {
		id := zipf.Uint64()
		counts[id]++
		binary.LittleEndian.PutUint64(key[:], id)
		sketch.Add(key[:], 1)
	}
	exceed := 0
	for id, count := range counts {
		binary.LittleEndian.PutUint64(key[:], uint64(id))
		estimate := sketch.Estimate(key[:])
		if estimate < count {
			return 0, fmt.Errorf("%+v: key %d was counted %d times and is estimated at %d", st, id, count, estimate)
		}
		if float64(estimate-count) > st.maxError*sketchLength {
			exceed++
		}
	}
	return float64(exceed) / sketchKeys, nil
}
