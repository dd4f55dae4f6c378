package analysis

import "math/big"

// Exact is Rate as a fraction, by the closed formulas:
//
//	f_S = m^(−(n+1)k) Σᵢ {k i} m↓i Σⱼ (−1)ʲ C(i,j) (m−j)^(nk)   (Burns, equation 56)
//	f_C = Σᵢ (−1)ⁱ C(k,i) [C(m−i,k) / C(m,k)]ⁿ                  (equation 60)
//
// with {k i} the Stirling numbers of the second kind and m↓i the falling
// factorial. Its integers have about n·k·log2 m bits: meant for small filters
// and as a reference.
func (f Model) Exact(m, n, k int) *big.Rat {
	if f == Classic {
		return classicExact(m, n, k)
	}
	return standardExact(m, n, k)
}

func standardExact(m, n, k int) *big.Rat {
	sum := new(big.Int)
	falling := big.NewInt(1)
	powers := backwardDifferences(m, n*k, k)
	for i, stirling := range stirlingRow(k) {
		if i > 0 {
			falling.Mul(falling, big.NewInt(int64(m-i+1)))
		}
		term := new(big.Int).Mul(stirling, falling)
		sum.Add(sum, term.Mul(term, powers[i]))
	}
	return new(big.Rat).SetFrac(sum, intPower(m, (n+1)*k))
}

// backwardDifferences returns ∇ⁱ x^e at x = m for i = 0 … count.
func backwardDifferences(m, e, count int) []*big.Int {
	values := make([]*big.Int, count+1)
	for j := range values {
		values[j] = intPower(m-j, e)
	}
	differences := make([]*big.Int, count+1)
	for i := range differences {
		differences[i] = new(big.Int).Set(values[0])
		for j := range count - i {
			values[j].Sub(values[j], values[j+1])
		}
	}
	return differences
}

// stirlingRow returns the Stirling numbers of the second kind {k 0} … {k k}.
func stirlingRow(k int) []*big.Int {
	row := make([]*big.Int, k+1)
	for i := range row {
		row[i] = new(big.Int)
	}
	row[0].SetInt64(1)
	for range k {
		for i := k; i > 0; i-- {
			row[i].Mul(row[i], big.NewInt(int64(i)))
			row[i].Add(row[i], row[i-1])
		}
		row[0].SetInt64(0)
	}
	return row
}

func classicExact(m, n, k int) *big.Rat {
	exponent := big.NewInt(int64(n))
	sum := new(big.Int)
	for i := range min(k, m-k) + 1 {
		term := new(big.Int).Binomial(int64(m-i), int64(k))
		term.Exp(term, exponent, nil)
		term.Mul(term, new(big.Int).Binomial(int64(k), int64(i)))
		if i%2 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
	all := new(big.Int).Binomial(int64(m), int64(k))
	return new(big.Rat).SetFrac(sum, all.Exp(all, exponent, nil))
}

func intPower(base, exponent int) *big.Int {
	return new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(exponent)), nil)
}
