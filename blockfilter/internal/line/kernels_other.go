//go:build !amd64 || purego

package line

// What these do is said in kernels_amd64.go.

func MayContain(block []byte, h uint64) bool { return containsGeneric(block, h) }

func Masks(masks []Mask, hashes []uint64, k, choices int) { masksGeneric(masks, hashes, k, choices) }

func Add(lines []byte, hashes []uint64, k int) { addGeneric(lines, hashes, k) }
