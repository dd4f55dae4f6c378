//go:build !amd64 || purego

package line

// MayContain answers for a block in the line layout whether the key of hash h
// may be in it: whether the k probes of any of its groups are all set in its
// line. It answers true for lines that the block's trailer does not describe.
// The block has a trailer at least.
func MayContain(block []byte, h uint64) bool { return containsGeneric(block, h) }

// Masks fills masks with the k probes of each of a key's groups, of all keys in
// turn. There are choices groups, and as many masks for each hash.
func Masks(masks []Mask, hashes []uint64, k, choices int) {
	masksGeneric(masks, hashes, k, choices)
}

// Add sets the k probes of the first group of every hash in its line.
func Add(lines []byte, hashes []uint64, k int) { addGeneric(lines, hashes, k) }
