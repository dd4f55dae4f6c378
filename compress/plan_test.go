package compress

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// published holds Mitzenmacher's table (Compressed Bloom Filters, 2002): m
// array slots and z packed bits per key.
var published = []struct {
	m      float64
	k      int
	z, fpr float64
}{
	{8, 6, 8.0, 0.0216},
	{14, 2, 7.923, 0.0177},
	{92, 1, 7.923, 0.0108},
	{16, 11, 16.0, 0.000459},
	{28, 4, 15.846, 0.000314},
	{48, 3, 15.829, 0.000222},
	{12.6, 2, 7.582, 0.0216},
	{46, 1, 6.891, 0.0215},
}

func TestPlanWholeGivesPublishedRows(t *testing.T) {
	for _, row := range published {
		t.Run(fmt.Sprintf("m=%g", row.m), func(t *testing.T) {
			p := PlanWhole(row.z+0.001, row.m)
			require.Equal(t, row.k, p.Probes)
			require.InEpsilon(t, row.m, p.SlotsPerKey, 1e-3)
			require.InEpsilon(t, row.z, p.BitsPerKey, 0.003)
			require.InEpsilon(t, row.fpr, p.FPR, 0.005)
		})
	}
}

func TestPlanSparseIsConsistent(t *testing.T) {
	before := Plan{FPR: 1}
	for z := 0.25; z <= 24; z += 0.25 {
		p := PlanSparse(z)
		require.InDelta(t, z, p.BitsPerKey, 1e-6)
		require.Less(t, p.FPR, before.FPR, "z=%g", z)
		require.Less(t, PlanWhole(z, 1e9).FPR, p.FPR, "z=%g: nothing beats the entropy", z)
		if back := PlanSparseRate(p.FPR); z > 0.5 {
			require.InEpsilon(t, z, back.BitsPerKey, 1e-6)
			require.InEpsilon(t, p.FPR, back.FPR, 1e-6)
		}
		before = p
	}
}

// TestOneProbeIsBestInPlace: k probes set k slots a key, which is the array of
// k times as many keys that set one.
func TestOneProbeIsBestInPlace(t *testing.T) {
	for z := 2.0; z <= 20; z++ {
		for k := 2; k <= 8; k++ {
			p := PlanSparse(z / float64(k))
			require.Greater(t, math.Pow(p.FPR, float64(k)), PlanSparse(z).FPR, "z=%g k=%d", z, k)
		}
	}
}
