package blockfilter

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSample: a Sample answers as MayContain does, shows its share of the
// answers, and what it shows has the rate of all answers. Counts are binomial;
// those beyond six standard deviations have a probability below 1e-8 each.
func TestSample(t *testing.T) {
	const keys, questions = 20_000, 2_000_000
	key := func(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)) }
	for _, text := range []string{
		"bloom:4", "bloom:4,layout=flat",
		"twochoice:4", "twochoice:4,layout=flat",
		"ribbon:3", "dense:5", "compressed:4",
	} {
		w := writer(t, text)
		for i := range keys {
			w.AddKey(key(i))
		}
		block := w.Finish(nil)
		info, err := Describe(block)
		require.NoError(t, err)

		shown, shownPositive, falsePositives := 0, 0, 0
		s := NewSample(func(a Answer) {
			require.Equal(t, info, a.Info)
			shown++
			falsePositives += a.FalsePositives
			if a.MayContain {
				shownPositive++
			}
		})
		positive := 0
		for i := range questions {
			may := s.MayContain(block, key(keys+i))
			if may {
				positive++
			}
			if i%100 == 0 {
				require.Equal(t, MayContain(block, key(keys+i)), may)
			}
		}
		within(t, float64(questions)/SampleEvery, float64(shown), 1)
		rate := float64(positive) / questions
		within(t, float64(shown)*rate, float64(shownPositive), 1-rate)
		within(t, float64(TestsPerAnswer*shown)*rate, float64(falsePositives), 1-rate)
	}
}

func writer(t *testing.T, text string) *Writer {
	p, err := ParsePolicy(text)
	require.NoError(t, err)
	return p.ForLevel(5).NewWriter()
}

// within fails if got is six standard deviations from the mean, for a binomial
// distribution whose variance is that share of its mean.
func within(t *testing.T, mean, got, share float64) {
	t.Helper()
	require.InDelta(t, mean, got, 6*math.Sqrt(mean*share))
}

// TestSampleOfPresentKeys: whether keys are present says nothing about false
// positives.
func TestSampleOfPresentKeys(t *testing.T) {
	const keys = 1 << 20
	key := func(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)) }
	w := writer(t, "bloom:4")
	for i := range keys {
		w.AddKey(key(i))
	}
	block := w.Finish(nil)
	shown, falsePositives := 0, 0
	s := NewSample(func(a Answer) {
		require.True(t, a.MayContain)
		shown++
		falsePositives += a.FalsePositives
	})
	require.True(t, s.MayContain(nil, []byte("malformed")))
	for i := range keys {
		require.True(t, s.MayContain(block, key(i)))
	}
	rate := w.policy.ExpectedRate(1 << 24)
	within(t, float64(TestsPerAnswer*shown)*rate, float64(falsePositives), 1-rate)
}

func TestSampleDoesNotAllocate(t *testing.T) {
	w := writer(t, "ribbon:7")
	w.AddKey([]byte("key"))
	block := w.Finish(nil)
	seen := 0
	s := NewSample(func(Answer) { seen++ })
	key := make([]byte, 8)
	require.Zero(t, testing.AllocsPerRun(20_000, func() {
		binary.LittleEndian.PutUint64(key, binary.LittleEndian.Uint64(key)+1)
		s.MayContain(block, key)
	}))
	require.Positive(t, seen)
}
