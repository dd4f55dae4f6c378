package micro

import "math/rand/v2"

// MinKeySize makes keys long enough that random ones are distinct: with n
// present keys, a random absent one is among them with probability n·2^-64.
const MinKeySize = 8

// keySet is keys of one size, one after another in memory.
type keySet struct {
	data []byte
	size int
}

func newKeySet(keys, size int) keySet { return keySet{make([]byte, keys*size), size} }

func (k keySet) len() int { return len(k.data) / k.size }

func (k keySet) at(i int) []byte { return k.data[i*k.size:][:k.size:k.size] }

// draw replaces the keys by random ones.
func (k keySet) draw(rng *rand.ChaCha8) { _, _ = rng.Read(k.data) } // never fails

// drawFrom replaces the keys by random ones of another set.
func (k keySet) drawFrom(other keySet, rng *rand.ChaCha8) {
	r := rand.New(rng)
	for i := range k.len() {
		copy(k.at(i), other.at(r.IntN(other.len())))
	}
}
