package analysis

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/bloom"
)

func TestBounds(t *testing.T) {
	const slack = 1 + 1e-12 // equal bounds differ by rounding
	for _, m := range []int{3, 5, 8, 13, 64, 100} {
		for _, n := range []int{1, 2, 3, 7, 20, 50} {
			for _, k := range []int{1, 2, 3, 5, 8, 13, 20} {
				if k > (m-1)/2 {
					continue
				}
				standard, classic := Standard.Rate(m, n, k), Classic.Rate(m, n, k)
				require.LessOrEqual(t, BoundL(m, n, k), slack*standard)
				require.LessOrEqual(t, BoundL(m, n, k), slack*classic)
				require.LessOrEqual(t, standard, slack*BoundU(m, n, k))
				require.LessOrEqual(t, classic, slack*BoundU(m, n, k))
				require.LessOrEqual(t, BoundM(m, n, k), slack*standard)
				require.LessOrEqual(t, bloom.Rate(float64(m)/float64(n), k), slack*BoundM(m, n, k))
			}
		}
	}
}

// The Taylor series φ(μ) + σ²/2·φ″(μ) of the standard rate, with φ(x) = (x/m)^k
// and the mean μ and variance σ² of the ones (Burns, after equation 56): its
// relative error near the best k is about 0.005·k⁴/m².
func TestTaylor(t *testing.T) {
	for _, c := range [][3]int{{1000, 100, 7}, {10_000, 1000, 7}, {10_000, 500, 14}, {100_000, 10_000, 7}} {
		m, n, k := c[0], c[1], c[2]
		mean, variance := Ones(Standard, m, n, k)
		probesSquared := float64(k * k)
		taylor := BoundM(m, n, k) * (1 + variance/2*float64(k*(k-1))/(mean*mean))
		tolerance := 0.01 * probesSquared * probesSquared / float64(m*m)
		rate := Standard.Rate(m, n, k)
		require.InEpsilon(t, rate, taylor, tolerance)
		require.Greater(t, rate/BoundM(m, n, k)-1, 20*tolerance, "worth more than no correction")
	}
}
