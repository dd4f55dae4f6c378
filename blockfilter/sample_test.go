package blockfilter

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/compressed"
	"github.com/gravelkv/gravel/blockfilter/dense"
	"github.com/gravelkv/gravel/blockfilter/ribbon"
	"github.com/gravelkv/gravel/blockfilter/twochoice"
)

// TestSample: a Sample answers as MayContain does, shows its share of the
// answers, and what it shows has the rate of all answers. Counts are binomial;
// those beyond six standard deviations have a probability below 1e-8 each.
func TestSample(t *testing.T) {
	const keys, questions = 20_000, 2_000_000
	key := func(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)) }
	for _, f := range []Family{
		bloom.Config{BitsPerKey: 4}, bloom.Config{BitsPerKey: 4, Layout: bloom.Flat},
		twochoice.Config{BitsPerKey: 4}, twochoice.Config{BitsPerKey: 4, Layout: twochoice.Flat},
		ribbon.Config{BitsPerKey: 3}, dense.Config{BitsPerKey: 5}, compressed.Config{BitsPerKey: 4},
	} {
		w := NewWriter(f, 5)
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
	w := NewWriter(bloom.Config{BitsPerKey: 4}, 5)
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
	rate := bloom.Config{BitsPerKey: 4}.ExpectedRate(1 << 24)
	within(t, float64(TestsPerAnswer*shown)*rate, float64(falsePositives), 1-rate)
}

func TestSampleDoesNotAllocate(t *testing.T) {
	w := NewWriter(ribbon.Config{BitsPerKey: 7}, 2)
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
