package keyhash

import "math/bits"

// Increment is the odd constant of the SplitMix64 generator (Steele, Lea and
// Flood 2014), 2⁶⁴ divided by the golden ratio, and Mix its output function, a
// bijection: Mix(h + i·Increment) for i = 0, 1, … are as good as independent
// hashes.
const Increment = 0x9e3779b97f4a7c15

// Mix scrambles a hash.
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
