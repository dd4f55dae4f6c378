package blockfilter

import "github.com/gravelkv/gravel/blockfilter/internal/trailer"

// Damaged returns the policy with the bodies of its blocks damaged while they
// are built.
func Damaged(p Policy, damage func(body []byte)) Policy {
	p.config = damaged{p.config, damage}
	return p
}

type damaged struct {
	config
	damage func(body []byte)
}

func (d damaged) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	whole := d.config.AppendBlock(dst, hashes, seed, level)
	d.damage(whole[len(dst) : len(whole)-trailer.Size])
	return whole
}

var CountDenied = countDenied

// Constants have their values twice, so that the documentation shows them.
var (
	_ = [1]int{}[TrailerSize-trailer.Size]
	_ = [1]int{}[LevelUnknown-trailer.LevelUnknown]
)
