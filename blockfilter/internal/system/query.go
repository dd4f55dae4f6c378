package system

import "github.com/gravelkv/gravel/blockfilter/internal/gf2"

// MayContain answers for a filter of layout l whether the key of hash h may be
// in it.
func (l Layout) MayContain(filter []byte, h uint64) bool {
	e := l.equation(h)
	// Four columns at once: a branch on each would be mispredicted half of the
	// time.
	differ, at := uint64(0), l.offset(0, e.slot)
	column := uint64(0)
	for ; column+4 <= l.Columns; column += 4 {
		differ = gf2.Parity(gf2.Load(filter, at)&e.row) |
			gf2.Parity(gf2.Load(filter, at+l.Slots)&e.row)<<1 |
			gf2.Parity(gf2.Load(filter, at+2*l.Slots)&e.row)<<2 |
			gf2.Parity(gf2.Load(filter, at+3*l.Slots)&e.row)<<3
		differ ^= uint64(e.value>>column) & 0xf
		if differ != 0 {
			return false
		}
		at += 4 * l.Slots
	}
	for ; column < l.Columns; column++ {
		differ |= gf2.Parity(gf2.Load(filter, at)&e.row) ^ uint64(e.value>>column)&1
		at += l.Slots
	}
	return differ == 0
}
