package compress

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// rate is the share of absent keys whose slot is set.
func (p Plan) rate() float64 { return -math.Expm1(-1 / p.SlotsPerKey) }

func TestPlanSparseIsConsistent(t *testing.T) {
	before := 1.0
	for z := 0.25; z <= 24; z += 0.25 {
		p := PlanSparse(z)
		require.InDelta(t, z, p.BitsPerKey, 1e-6)
		require.Less(t, p.rate(), before, "z=%g", z)
		require.Less(t, p.SlotsPerKey*Entropy(p.rate()), z, "z=%g: nothing beats the entropy", z)
		if back := PlanSparseRate(p.rate()); z > 0.5 {
			require.InEpsilon(t, z, back.BitsPerKey, 1e-6)
			require.InEpsilon(t, p.SlotsPerKey, back.SlotsPerKey, 1e-6)
		}
		before = p.rate()
	}
}

// TestOneProbeIsBestInPlace: k probes set k slots a key, which is the array of
// k times as many keys that set one.
func TestOneProbeIsBestInPlace(t *testing.T) {
	for z := 2.0; z <= 20; z++ {
		for k := 2; k <= 8; k++ {
			p := PlanSparse(z / float64(k))
			require.Greater(t, math.Pow(p.rate(), float64(k)), PlanSparse(z).rate(), "z=%g k=%d", z, k)
		}
	}
}
