package analysis

import "math"

// TwoChoiceOnes is the fraction of ones of the online filter of Lumetta and
// Mitzenmacher, with b bits per key and k probes per choice, for many keys: z(1)
// of
//
//	dz/dt = E[min(B₁ … B_c)]/b,  z(0) = 0,  B_j ~ Bin(k, 1−z) independent
//
// (equation 3.2, for any number of choices c ≥ 1). A key sets the bits of the
// choice that adds the fewest ones, and is found if any choice is all ones.
// Choosing offline, with all keys known, does better and has no formula.
//
// Fourth-order Runge–Kutta steps leave an error below 1e-7; the cost is about 10
// µs at 10 bits.
func TwoChoiceOnes(bitsPerKey float64, k, choices int) float64 {
	slope := func(z float64) float64 {
		return leastNewOnes(1-z, k, choices) / bitsPerKey
	}
	steps := 32 + int(8*float64(k)/bitsPerKey)
	h := 1 / float64(steps)
	z := 0.0
	for range steps {
		a := slope(z)
		b := slope(z + h/2*a)
		c := slope(z + h/2*b)
		d := slope(z + h*c)
		z += h / 6 * (a + 2*b + 2*c + d)
	}
	return z
}

// leastNewOnes is the mean of the least of several Bin(k, zeros): the sum over
// t ≥ 1 of P(Bin(k, zeros) ≥ t)^choices.
func leastNewOnes(zeros float64, k, choices int) float64 {
	odds := (1 - zeros) / zeros
	mass := math.Pow(zeros, float64(k))
	mean, tail := 0.0, 0.0
	for t := k; t > 0; t-- {
		tail += mass
		mean += math.Pow(min(tail, 1), float64(choices))
		mass *= odds * float64(t) / float64(k-t+1)
	}
	return mean
}
