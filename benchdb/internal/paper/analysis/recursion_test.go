package analysis

import (
	"math/big"
	"math/bits"
)

// Recursion is Rate by Grandi's recursions (Burns, equations 55 and 63), from
// ψ(0,·) = 1 to f = ψ(k,m):
//
//	ψ_S(h,m) = ψ_S(h−1,m) − (1−1/m)^(kn+h−1) ψ_S(h−1,m−1)
//	ψ_C(h,m) = ψ_C(h−1,m) − (1−k/m)ⁿ ψ_C(h−1,m−1)
//
// The paper prints the exponent of ψ_S as kn+h+1; only kn+h−1 agrees with
// equation 56. The differences are taken in big floats wide enough for the
// cancellation. The cost is k² big multiplications, whatever n is.
func (f Model) Recursion(m, n, k int) float64 {
	// A rate is at least m^−k and the k differences double an error each.
	precision := uint(128 + k*(2+bits.Len(uint(m))))
	step, exponent := 1, n*k
	if f == Classic {
		step, exponent = k, n
	}
	psi := make([]*big.Float, k+1)     // psi[j] = ψ(h, m−j)
	miss := make([]*big.Float, k)      // miss[j] = 1 − step/(m−j)
	untouched := make([]*big.Float, k) // untouched[j] = miss[j]^exponent
	for j := range psi {
		psi[j] = newFloat(precision, 1)
		if j < k {
			miss[j] = newFloat(precision, max(0, m-j-step))
			miss[j].Quo(miss[j], newFloat(precision, m-j))
			untouched[j] = floatPower(miss[j], exponent)
		}
	}
	for h := 1; h <= k; h++ {
		for j := range k - h + 1 {
			psi[j].Sub(psi[j], new(big.Float).Mul(untouched[j], psi[j+1]))
			if f == Standard {
				untouched[j].Mul(untouched[j], miss[j])
			}
		}
	}
	rate, _ := psi[0].Float64()
	return rate
}

func newFloat(precision uint, value int) *big.Float {
	return new(big.Float).SetPrec(precision).SetInt64(int64(value))
}

func floatPower(base *big.Float, exponent int) *big.Float {
	result := newFloat(base.Prec(), 1)
	for square := new(big.Float).Copy(base); exponent > 0; exponent >>= 1 {
		if exponent&1 == 1 {
			result.Mul(result, square)
		}
		square.Mul(square, square)
	}
	return result
}
