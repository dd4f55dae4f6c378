package paper

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"
)

func published(t *testing.T) *Published {
	t.Helper()
	data, err := os.ReadFile("../../testdata/paper.json")
	require.NoError(t, err)
	p, err := ParsePublished(data)
	require.NoError(t, err)
	return p
}

// quick leaves out what takes long and shows nothing that is not seen elsewhere,
// such as filters of 16 bits per key, which TestRightSchemes has.
func quick(p *Published) *Published {
	p.Double.Rows = slices.DeleteFunc(p.Double.Rows, func(row printedDouble) bool { return row.C == 16 })
	offline := &p.Offline.Rows
	*offline = slices.DeleteFunc(*offline, func(row printedChoices) bool { return row.Rounds == 15 || row.Rounds == 40 || row.FPR.Value < 1e-6 })
	for i := range *offline {
		// Rounds take seconds on filters of the paper's size, and find the same
		// rate on a tenth of it.
		if row := &(*offline)[i]; row.Rounds > 1 {
			row.N, row.M = row.N/10, row.M/10
		}
	}
	p.Compressed.Rows = slices.DeleteFunc(p.Compressed.Rows, func(row printedCompressed) bool { return row.FPR.Value < 0.001 })
	return p
}

// everyOther leaves filters of 100 and of 10,000 keys, of 100 to 100,000.
func everyOther(cases []measurement) (others []measurement) {
	for pair := range slices.Chunk(cases, 2) {
		others = append(others, pair[0])
	}
	return others
}

// TestExperiments runs them with few trials: every row is there and right, fits
// a terminal, and the comparisons are no more than falseAlarm allows for.
func TestExperiments(t *testing.T) {
	s := Settings{Seed: 1, Trials: 10}
	r := &Result{Settings: s}
	comparisons := 0
	for _, e := range Experiments(quick(published(t)), "") {
		if strings.HasPrefix(e.title, "Figure 1:") {
			e.cases = everyOther(e.cases)
		}
		done := 0
		table, err := e.Run(t.Context(), s, func(steps int) { done += steps })
		require.NoError(t, err)
		require.Equal(t, e.Cases(), done)
		require.NotEmpty(t, table.Rows, table.Title)
		for _, row := range table.Rows {
			require.True(t, row.OK, "%s: %+v", table.Title, row)
			require.False(t, row.Measured != nil && math.IsNaN(*row.Measured), "%s: %+v", table.Title, row)
			for _, f := range []*Reference{row.Published, row.Predicted} {
				if f != nil && f.Tolerance != nil {
					comparisons++
				}
			}
		}
		r.Tables = append(r.Tables, table)
	}
	require.Less(t, comparisons, maxComparisons)

	var out strings.Builder
	r.PrintHeader(&out)
	for _, table := range r.Tables {
		table.Print(&out, "")
	}
	r.PrintSummary(&out)
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, len([]rune(line)), 80+1, line)
		require.NotContains(t, line, "≈", "a line is cut")
	}
	rows, _ := r.Count()
	require.True(t, strings.HasSuffix(out.String(), fmt.Sprintf("%d rows, all within tolerance\n", rows)))
}

// small is Figure 1's filter with the largest differences between schemes.
func small(s scheme) flat { return flat{s, 1600, 100, 11} }

func (f flat) measure(t *testing.T, trials int) Row {
	t.Helper()
	rows, err := figure1Point(f, 0.00045871073)(t.Context(), Settings{Seed: 1, Trials: trials})
	require.NoError(t, err)
	return rows[0]
}

func TestRightSchemes(t *testing.T) {
	for _, s := range schemes {
		require.True(t, small(s).measure(t, 100).holds(), s.name)
	}
}

// TestWrongSchemes holds schemes to the predictions of others.
func TestWrongSchemes(t *testing.T) {
	for _, c := range []struct {
		expected scheme
		built    string
	}{
		{standard, "enhanced3"}, {partition, "double"}, {double, "enhanced2"},
		{enhanced2, "double"}, {enhanced3, "independent"}, {enhanced3, "classic"},
	} {
		f := small(c.expected)
		f.built = c.built
		require.False(t, f.measure(t, 400).holds(), "%s %v", c.expected.name, c.built)
	}
}

// TestEvenStep draws only keys that double hashing gives an even step, in an
// array of even size: two keys of the same step are then twice as frequent.
func TestEvenStep(t *testing.T) {
	f := small(double)
	evenStep := func(rng *rand.Rand, key *[8]byte) {
		for {
			anyKey(rng, key)
			h := xxh3.HashSeed(key[:], blockSeed)
			// h2 of blockfilter/FORMAT.md.
			if step, _ := bits.Mul64(mix(h+0x9e3779b97f4a7c15), uint64(f.m-1)); (1+step)%2 == 0 {
				return
			}
		}
	}
	const queries = 20_000
	rates, err := run(t.Context(), Settings{}, "even step", 100, func() trial[float64] {
		b := newFilter(f.options())
		b.draw = evenStep
		return func(rng *rand.Rand) (float64, error) {
			err := b.build(rng, f.n)
			return b.ask(rng, queries) / queries, err
		}
	})
	require.NoError(t, err)
	row := f.mean("", rates, f.predicted())
	require.False(t, row.holds(), "%+v", row)
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func TestSeedsDecide(t *testing.T) {
	measure := func(seed uint64) float64 {
		rows, err := figure1Point(small(double), 1e-3)(t.Context(), Settings{Seed: seed, Trials: 100})
		require.NoError(t, err)
		return *rows[0].Measured
	}
	one := measure(1)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	require.Equal(t, one, measure(1), "on another number of processors")
	require.NotEqual(t, one, measure(2))
}

// TestWrongValue holds filters to a value that no paper prints.
func TestWrongValue(t *testing.T) {
	p := published(t)
	require.Equal(t, 6.154093287e-4, p.Exact.Rows[0].Rate.Value)
	p.Exact.Rows[0].Rate.Value = 6.154093288e-4
	table, err := examples(p).Run(t.Context(), Settings{Seed: 1, Trials: MinTrials}, func(int) {})
	require.NoError(t, err)
	r := &Result{Tables: []Table{table}}
	var out strings.Builder
	r.PrintSummary(&out)
	require.ErrorContains(t, r.Verdict(), "outside tolerance: 1 of 8 rows")
	require.Contains(t, out.String(), "OFF  Section 3.4: exact rates of 4 keys in 64 bits: standard k=10\n")
	require.True(t, strings.HasSuffix(out.String(), "8 rows, 1 outside tolerance\n"))
}

func TestInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := figure1(8, 6, 0.0216)
	table, err := e.Run(ctx, Settings{Seed: 1, Trials: 100}, func(int) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, table.Rows, 1)
}
