//go:build !purego

package line

import (
	"golang.org/x/sys/cpu"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

var (
	useAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasBMI2
	useAVX2   = cpu.X86.HasAVX2
)

// Where MayContain finds the fields of a trailer.
const (
	trailerSize    = trailer.Size
	geometryOffset = trailer.GeometryOffset
	probesOffset   = trailer.ParamsOffset + 1
	choicesOffset  = trailer.ParamsOffset + 2
)

// Constants of the kernels: for probe i, i and T(i)·2²³.
var (
	multiples    [MaxChoices * MaxProbes]uint32
	tetrahedrals [MaxChoices * MaxProbes]uint32
)

// lanes read from lanes[16-k] on has 1 in the first k of 16 lanes.
var lanes [2 * MaxProbes]uint32

func init() {
	for i := range uint32(len(multiples)) {
		multiples[i] = i
		tetrahedrals[i] = tetrahedral(i) * unit
	}
	for i := range MaxProbes {
		lanes[i] = 1
	}
}

// MayContain answers for a block in the line layout whether the key of hash h
// may be in it: whether the k probes of any of its groups are all set in its
// line. It answers true for lines that the block's trailer does not describe.
// The block has a trailer at least.
//
//go:noescape
func MayContain(block []byte, h uint64) bool

// Add sets the k probes of the first group of every hash in its line.
func Add(lines []byte, hashes []uint64, k int) {
	if useAVX512 && len(hashes) > 0 {
		addAVX512(&lines[0], uint64(len(lines)/Size), &hashes[0], len(hashes), k)
		return
	}
	addGeneric(lines, hashes, k)
}

//go:noescape
func addAVX512(lines *byte, n uint64, hashes *uint64, count, k int)

// Masks fills masks with the k probes of each of a key's groups, of all keys in
// turn. There are choices groups, and as many masks for each hash.
func Masks(masks []Mask, hashes []uint64, k, choices int) {
	if useAVX512 && len(hashes) > 0 {
		masksAVX512(&masks[0], &hashes[0], len(hashes), k, choices)
		return
	}
	masksGeneric(masks, hashes, k, choices)
}

//go:noescape
func masksAVX512(masks *Mask, hashes *uint64, n, k, choices int)
