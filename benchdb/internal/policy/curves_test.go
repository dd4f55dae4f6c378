package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rate returns a curve's rate at bits per key, within a bit.
func rate(t *testing.T, name string, bits float64) float64 {
	t.Helper()
	for _, c := range Curves() {
		for _, p := range c.Points {
			if c.Name == name && p.BitsPerKey >= bits && p.BitsPerKey < bits+1 {
				return p.FPR
			}
		}
	}
	require.FailNow(t, "no such point", "%s %v", name, bits)
	return 0
}

// Keys are seeded, so measured rates never change.
func TestCurves(t *testing.T) {
	require.InDelta(t, 0.0116, rate(t, PebbleBloom, 10), 0.0004)
	require.InDelta(t, 0.0035, rate(t, PebbleBloom, 16), 0.0002)
	require.InDelta(t, 1.0/256, rate(t, "binaryfuse", 9), 0.0003)
	require.InDelta(t, 0.00966, rate(t, "bloom", 10), 0.0002)
	require.InDelta(t, 1.0/1024, rate(t, LowerBound, 10), 1e-9)
	for _, c := range Curves() {
		bound := func(p RatePoint) float64 { return rate(t, LowerBound, float64(int(p.BitsPerKey))) }
		for i, p := range c.Points {
			require.Positive(t, p.FPR, c.Name)
			require.GreaterOrEqual(t, p.FPR, bound(p)/2, c.Name)
			require.True(t, i == 0 || p.FPR < c.Points[i-1].FPR, c.Name)
		}
	}
}
