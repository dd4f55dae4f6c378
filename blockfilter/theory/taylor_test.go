package theory

// Taylor approximates the rate of the standard filter by
// φ(μ) + σ²/2·φ″(μ), with φ(x) = (x/m)^k and the mean μ and variance σ² of the
// ones (Burns, after equation 56). It is for filters too large for Model.Rate:
// its relative error near the best k is about 0.005·k⁴/m². It is NaN outside
// the domain of Model.Rate.
func Taylor(m, n, k int) float64 {
	mean, variance := Standard.Ones(m, n, k)
	probes := float64(k)
	curvature := probes * (probes - 1) / (mean * mean)
	return Standard.rateOfMean(m, n, k) * (1 + variance/2*curvature)
}
