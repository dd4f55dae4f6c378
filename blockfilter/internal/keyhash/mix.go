package keyhash

import "math/bits"

// R, V and W are the odd multipliers of FORMAT.md: the fractional parts of the
// golden ratio, √2 and √3.
const (
	R = 0x9e3779b97f4a7c15
	V = 0x6a09e667f3bcc909
	W = 0xbb67ae8584caa73b
)

// Mix scrambles a hash. It is the output function, a bijection, of the
// SplitMix64 generator (Steele, Lea and Flood 2014), whose increment is R:
// Mix(h + i·R) for i = 0, 1, … are as good as independent hashes.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Scale maps a uniform hash to 0 … n−1 by multiply-shift: ⌊h·n/2⁶⁴⌋.
func Scale(h, n uint64) uint64 {
	hi, _ := bits.Mul64(h, n)
	return hi
}
