package blockfilter

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/compressed"
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
		ribbon.Config{BitsPerKey: 3}, compressed.Config{BitsPerKey: 4},
	} {
		w := NewWriter(f, 5)
		for i := range keys {
			w.AddKey(key(i))
		}
		block := w.Finish(nil)
		info, err := Describe(block)
		require.NoError(t, err)

		var s Sample
		shown, shownPositive := 0, 0
		s.Init(func(a Answer) {
			require.Equal(t, info, a.Info)
			require.True(t, a.Sampled)
			shown++
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
	}
}

// within fails if got is six standard deviations from the mean, for a binomial
// distribution whose variance is that share of its mean.
func within(t *testing.T, mean, got, share float64) {
	t.Helper()
	require.InDelta(t, mean, got, 6*math.Sqrt(mean*share))
}

func TestSampleShowsAll(t *testing.T) {
	w := NewWriter(bloom.Config{BitsPerKey: 10}, 2)
	w.AddKey([]byte("key"))
	block := w.Finish(nil)
	var s Sample
	var shown []Answer
	s.Init(func(a Answer) { shown = append(shown, a) })
	s.ShowAll(true)
	require.True(t, s.MayContain(block, []byte("key")))
	require.True(t, s.MayContain(nil, []byte("malformed")))
	require.Len(t, shown, 1)
	require.True(t, shown[0].MayContain)
	require.True(t, shown[0].IsFor([]byte("key")))
	require.False(t, shown[0].IsFor([]byte("another")))
	require.Equal(t, Info{Family: "bloom", Keys: 1, Bytes: len(block), Level: 2}, shown[0].Info)

	s.ShowAll(false)
	shown = nil
	for i := range byte(200) {
		s.MayContain(block, []byte{i})
	}
	require.Less(t, len(shown), 10) // 10 of 200 at 1 in 1024: 1e-14
}

func TestSampleDoesNotAllocate(t *testing.T) {
	w := NewWriter(ribbon.Config{BitsPerKey: 7}, 2)
	w.AddKey([]byte("key"))
	block := w.Finish(nil)
	var s Sample
	seen := 0
	s.Init(func(Answer) { seen++ })
	s.ShowAll(true)
	require.Zero(t, testing.AllocsPerRun(100, func() { s.MayContain(block, []byte("key")) }))
	require.Positive(t, seen)
}
