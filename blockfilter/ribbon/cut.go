package ribbon

import (
	"fmt"
	"slices"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// Table is a block whose trailer fits it. The first columns of the solution of
// a linear system solve the system of fingerprints with as many bits. So a table
// can be cut.
type Table struct {
	geometry geometry
	block    []byte
}

// ParseTable reports false for a block whose trailer does not fit it.
func ParseTable(block []byte) (t Table, ok bool) {
	body, v, ok := trailer.Split(block)
	if !ok {
		return t, false
	}
	t = Table{parse(v), block}
	return t, t.geometry.valid() && t.geometry.size() == uint64(len(body))
}

// BitsPerKey returns the mean length of a key's fingerprint, as in Config.
func (t Table) BitsPerKey() float64 {
	return float64(t.geometry.columns) + float64(t.geometry.extra)/256
}

// CutSize returns the bytes of a block of this table with other bits per key,
// up to 32.
func (t Table) CutSize(bitsPerKey float64) (int, error) {
	g, err := t.geometry.withBits(bitsPerKey, maxColumns)
	if err != nil {
		return 0, err
	}
	return int(g.size()) + trailer.Size, nil
}

// AppendCut appends to dst a block of the table's first columns, bitsPerKey of
// them. That block may begin where the table does, and overwrite it.
func (t Table) AppendCut(dst []byte, bitsPerKey float64) ([]byte, error) {
	cut, err := t.geometry.withBits(bitsPerKey, t.BitsPerKey())
	if err != nil {
		return dst, err
	}
	end, size := [trailer.Size]byte(t.block[len(t.block)-trailer.Size:]), int(cut.size())
	end[trailer.ParamsOffset], end[trailer.ParamsOffset+1] = byte(cut.extra), byte(cut.columns)
	dst = slices.Grow(dst, size+trailer.Size)
	dst = dst[:len(dst)+size]
	t.copyColumns(dst[len(dst)-size:], cut)
	return append(dst, end[:]...), nil
}

// withBits returns g with bitsPerKey columns, rounded down to a 256th.
func (g geometry) withBits(bitsPerKey, most float64) (geometry, error) {
	if !(bitsPerKey >= 1 && bitsPerKey <= most) {
		return g, fmt.Errorf("bits per key must be from 1 to %v, not %v", most, bitsPerKey)
	}
	steps := uint64(bitsPerKey * 256)
	g.columns, g.extra = steps/256, steps%256
	return g, nil
}

// copyColumns copies the columns of a cut and the thresholds. No block of the
// cut has more columns than in the table, so none ends behind the start of the
// table's next block, which is still to be read if both share memory.
func (t Table) copyColumns(dst []byte, cut geometry) {
	cutWide, wide, full := cut.wide(), t.geometry.wide(), cut.full()
	for block := range full {
		n := 8 * cut.columnsOf(block, cutWide)
		copy(dst[cut.offset(block, cutWide):][:n], t.block[t.geometry.offset(block, wide):])
	}
	n := cut.tail() * cut.columnsOf(full, cutWide)
	copy(dst[cut.offset(full, cutWide):][:n], t.block[t.geometry.offset(full, wide):])
	copy(dst[cut.thresholds(cutWide):], t.block[t.geometry.thresholds(wide):])
}
