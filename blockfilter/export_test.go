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

func (d damaged) AppendBody(dst []byte, hashes [][]uint64) ([]byte, trailer.Trailer) {
	whole, t := d.config.AppendBody(dst, hashes)
	d.damage(whole[len(dst):])
	return whole, t
}

var CountDenied = countDenied
