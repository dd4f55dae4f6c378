package ribbon

import "slices"

// keys are hashes and, for a retrieval structure, the value of each. Without
// values a key's value is its fingerprint.
type keys struct {
	hashes []uint64
	values []uint32
}

func (k keys) len() int { return len(k.hashes) }

func (k keys) value(i int) uint32 {
	if k.values == nil {
		return fingerprint(k.hashes[i])
	}
	return k.values[i]
}

// set copies key j of other to i.
func (k keys) set(i int, other keys, j int) {
	k.hashes[i] = other.hashes[j]
	if k.values != nil {
		k.values[i] = other.values[j]
	}
}

func (k keys) slice(from, to int) keys {
	k.hashes = k.hashes[from:to]
	if k.values != nil {
		k.values = k.values[from:to]
	}
	return k
}

// append adds the keys of other, which have values if those of k do.
func (k *keys) append(other keys) {
	k.hashes = append(k.hashes, other.hashes...)
	k.values = append(k.values, other.values...)
}

// resize makes k n keys long without keeping any. They have values if those of
// like do.
func (k *keys) resize(n int, like keys) {
	k.hashes = slices.Grow(k.hashes[:0], n)[:n]
	if like.values == nil {
		k.values = nil
		return
	}
	k.values = slices.Grow(k.values[:0], n)[:n]
}

// count returns the number of keys in all chunks.
func count(chunks []keys) int {
	n := 0
	for _, c := range chunks {
		n += c.len()
	}
	return n
}
