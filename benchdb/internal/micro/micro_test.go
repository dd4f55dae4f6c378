package micro

import (
	"context"
	"math"
	"testing"
	"unsafe"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/filterpolicy"
)

func newBench(t *testing.T, policies string) *Bench {
	t.Helper()
	list, baseline, err := ParseList(policies)
	require.NoError(t, err)
	return &Bench{
		Policies: list, Baseline: baseline, Rounds: 3, AbsentKeys: 1_000_000, Cores: 2, Seed: 3,
		Progress: func(int) {},
	}
}

func TestParseList(t *testing.T) {
	policies, baseline, err := ParseList(" none  bloom:10 ")
	require.NoError(t, err)
	require.Equal(t, 0, baseline)
	require.Equal(t, []string{BaselineText, "none", "bloom:10"}, texts(policies))
	_, baseline, err = ParseList("binaryfuse:8 L0-L6=bloom:9 pebble-bloom:10")
	require.NoError(t, err)
	require.Equal(t, 2, baseline)
	for text, want := range map[string]string{
		"":                          "at least one",
		"blom:10":                   "binaryfuse:16",
		"binaryfuse:9":              "binaryfuse:16",
		"L0-L5=bloom:10;L6=none":    "level plan",
		"L0-L5=bloom:10;L6=bloom:8": "level plan",
	} {
		_, _, err := ParseList(text)
		require.ErrorContains(t, err, want, text)
	}
}

func texts(policies []policy.Filter) []string {
	var out []string
	for _, p := range policies {
		out = append(out, p.Text)
	}
	return out
}

// Rates agree with what the policies promise. The bound of 5.33 standard
// deviations is passed by chance with probability 1e-7 for each policy; a
// filter of 50,000 keys differs from the mean of its kind by less than 2 %.
func TestRates(t *testing.T) {
	b := newBench(t, "none bloom:8 bloom:10 binaryfuse:8 binaryfuse:16")
	builds, _, err := b.Build(t.Context(), 50_000, 16)
	require.NoError(t, err)
	want := map[string]float64{"none": 1, "binaryfuse:8": 1. / 256, "binaryfuse:16": 1. / 65536}
	for _, p := range b.Policies {
		if p, ok := p.FilterPolicy.(*filterpolicy.Policy); ok {
			want[p.String()] = p.ExpectedRate(50_000)
		}
	}
	for _, row := range builds.Rows {
		f, ok := want[row.Policy]
		if !ok {
			continue
		}
		n := float64(row.FPR.AbsentKeys)
		require.GreaterOrEqual(t, n, 1e6)
		deviation := math.Hypot(math.Sqrt(f*(1-f)/n), 0.02*f/math.Sqrt(3))
		if row.Policy == "none" {
			deviation = 0
		}
		require.InDelta(t, f, row.FPR.Rate, 5.33*deviation, row.Policy)
		require.LessOrEqual(t, row.FPR.Low, row.FPR.Rate)
		require.GreaterOrEqual(t, row.FPR.High, row.FPR.Rate)
		require.GreaterOrEqual(t, row.FPR.High, row.LowerBound, row.Policy)
	}
}

func TestInterval(t *testing.T) {
	// Of the exact binomial interval: R, binom.test(7, 100) and (0, 100).
	r := newRate([]int{3, 4}, 50)
	require.InDelta(t, 0.07, r.Rate, 1e-12)
	require.InDelta(t, 0.02860548, r.Low, 1e-6)
	require.InDelta(t, 0.13892050, r.High, 1e-6)
	r = newRate([]int{0}, 100)
	require.Zero(t, r.Low)
	require.InDelta(t, 0.03621669, r.High, 1e-6)
	r = newRate([]int{100}, 100)
	require.Equal(t, 1.0, r.High)
}

func TestMedian(t *testing.T) {
	require.Equal(t, 2.0, report.Median([]float64{3, 1, 2}))
	require.Equal(t, 2.5, report.Median([]float64{4, 1, 2, 3}))
	ratios := newTime([]float64{10, 30, 5}, []float64{10, 10})
	require.Equal(t, Time{NS: 20, Ratio: 2, Rounds: 2}, ratios)
}

// The writers of Pebble and of Gravel keep 4 and 8 bytes for each key, besides
// the block. The race detector makes pools forget, which costs a little more.
func TestMemory(t *testing.T) {
	b := newBench(t, "pebble-bloom:10 bloom:10")
	b.AbsentKeys = 1
	builds, _, err := b.Build(t.Context(), 200_000, 16)
	require.NoError(t, err)
	require.InDelta(t, 4+10./8, *builds.Rows[0].PeakBytesPerKey, 1.75)
	require.InDelta(t, 8+10./8, *builds.Rows[1].PeakBytesPerKey, 1.75)
}

func TestPlace(t *testing.T) {
	for n := range 200 {
		block := make([]byte, n)
		for i := range block {
			block[i] = byte(i)
		}
		placed := place(block)
		require.Equal(t, block, placed)
		require.EqualValues(t, 16, uintptr(unsafe.Pointer(unsafe.SliceData(placed)))%64)
	}
}

// Every copy answers as the filter that it is a copy of.
func TestColdSet(t *testing.T) {
	b := newBench(t, "pebble-bloom:10 bloom:10 none")
	f := b.NewFilters(1000, 16)
	absent := newKeySet(coldBatchSize, 16)
	absent.draw(b.random(1, 1))
	for i, p := range b.Policies {
		s := b.newColdSet(1<<20, b.random(1, 2))
		s.fill(p, f.blocks[i])
		require.Greater(t, s.count(), 700)
		seen := map[uintptr]bool{}
		for core := range b.Cores {
			s.pick(core)
			require.Equal(t, ask(p, f.blocks[i], absent), s.ask(core, absent))
			for _, n := range s.picks[core].copies {
				require.Less(t, int(n), s.count())
				seen[uintptr(int(n)*s.stride%64)] = true
			}
		}
		require.Len(t, seen, 4, "copies at all multiples of 16")
	}
}

// forgetful loses keys.
type forgetful struct{ pebble.FilterPolicy }

func (forgetful) MayContain(pebble.FilterType, []byte, []byte) bool { return false }

func TestLostKeysAreAnError(t *testing.T) {
	b := newBench(t, BaselineText)
	b.Policies = append(b.Policies, policy.Filter{Text: "forgetful", FilterPolicy: forgetful{b.Policies[0].FilterPolicy}})
	_, err := b.InCache(t.Context(), b.NewFilters(1000, 16))
	require.ErrorContains(t, err, "forgetful: the filter lost")
	_, err = b.Cold(t.Context(), 16, MinColdBytes)
	require.ErrorContains(t, err, "forgetful: the filter lost")
}

// Interrupted, every stage returns the rounds that are done, if any.
func TestInterruptedStages(t *testing.T) {
	b := newBench(t, "bloom:10 none")
	b.AbsentKeys = 1000
	f := b.NewFilters(1000, 16)
	for _, rounds := range []int{0, 1} {
		ctx, cancel := context.WithCancel(t.Context())
		left := rounds
		b.Progress = func(int) {
			if left--; left <= 0 {
				cancel()
			}
		}
		if rounds == 0 {
			cancel()
		}
		builds, filters, err := b.Build(ctx, 1000, 16)
		require.ErrorIs(t, err, context.Canceled)
		require.Nil(t, filters)
		require.Len(t, builds.Rows, 3*rounds)
		queries, err := b.InCache(ctx, f)
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, queries.Rows)
		cold, err := b.Cold(ctx, 16, MinColdBytes)
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, cold.Rows)
	}
	ctx, cancel := context.WithCancel(t.Context())
	b.Progress = func(int) { cancel() }
	queries, err := b.InCache(ctx, f)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, queries.Rows, 3)
	require.Equal(t, 1, queries.Rows[2].AllCores.Present.Rounds)

	ctx, cancel = context.WithCancel(t.Context())
	b.Progress = func(int) { cancel() }
	cold, err := b.Cold(ctx, 16, MinColdBytes)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, []string{BaselineText, "bloom:10"}, []string{cold.Rows[0].Policy, cold.Rows[1].Policy})
	require.Len(t, cold.Rows, 2)
}
