package dense

import (
	"encoding/binary"
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
	"github.com/gravelkv/gravel/blockfilter/internal/system"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// MayContain answers for a dense filter's body, described by a block's trailer,
// whether the key of hash h may be in it. It answers true for a body that the
// trailer does not fit. The trailer must follow body in memory, as it does in a
// block.
func MayContain(body []byte, end *[32]byte, h uint64) bool {
	v := (*trailer.View)(end)
	if v.Layout() == lines {
		return LinesMayContain(body, end, h)
	}
	if v.Layout() != oneSystem || v.Geometry() != uint64(len(body)) {
		return true
	}
	l, ok := system.Parse(body)
	return !ok || l.MayContain(body, h)
}

// describes reports whether v fits the lines.
func describes(v *trailer.View, lines []byte) bool {
	n := v.Geometry()
	return n-1 < maxLines && n*lineSize == uint64(len(lines))
}

// maxLines keeps the number of bytes within 64 bits.
const maxLines = 1 << 56

// linesGeneric is the portable kernel.
func linesGeneric(lines []byte, end *[32]byte, h uint64) bool {
	v := (*trailer.View)(end)
	if !describes(v, lines) || cap(lines)-len(lines) < overread {
		return true
	}
	at := indexOf(h, len(lines)/lineSize) * lineSize
	return contains(lines[at:at+lineSize+overread], h)
}

// overread is how many bytes behind a line a query may read, whatever they
// hold.
const overread = 32

// contains answers for a line, and overread bytes behind it, whether the
// key of hash h may be in it.
func contains(line []byte, h uint64) bool {
	head := headerIn(line)
	shape := shapes[head.code()]
	if shape.slots == 0 {
		return head != emptyLine
	}
	m := shape.slots
	e := equationOf(h, m)
	row, value := e.withWindow(head.window()), e.fingerprint()
	if m <= 64 {
		if !matchesWord(line, row.Lo, value, m, shape.columns) {
			return false
		}
	} else if !matches(line, headerBits+e.slot(m), row, value, m, shape.columns) {
		return false
	}
	if e.part() >= head.share() || m > maxDense {
		return true
	}
	at := headerBits + m*shape.columns
	return parity(line, at, firstOf(row, min(lineBits-at, rowBits))) == value>>shape.columns&1
}

// firstOf returns a row's coefficients of the first n slots.
func firstOf(r gf2.Row, n int) gf2.Row {
	if n < 64 {
		return gf2.Row{Lo: r.Lo & (1<<n - 1)}
	}
	return gf2.Row{Lo: r.Lo, Hi: r.Hi & (1<<(n-64) - 1)}
}

// matchesWord compares the columns of a line whose rows are one word. It
// branches once in four: for 15 of 16 absent keys at the first.
func matchesWord(line []byte, row uint64, value uint32, m, columns int) bool {
	at := headerBits
	for ; columns >= 4; columns -= 4 {
		differ := wordParity(line, at, row)
		differ |= wordParity(line, at+m, row) << 1
		differ |= wordParity(line, at+2*m, row) << 2
		differ |= wordParity(line, at+3*m, row) << 3
		if (differ^value)&0xf != 0 {
			return false
		}
		value >>= 4
		at += 4 * m
	}
	differ := uint32(0)
	for ; columns > 0; columns-- {
		differ |= wordParity(line, at, row) ^ value&1
		value >>= 1
		at += m
	}
	return differ == 0
}

// matches is matchesWord for rows of two words.
func matches(line []byte, at int, row gf2.Row, value uint32, m, columns int) bool {
	for ; columns >= 2; columns -= 2 {
		differ := parity(line, at, row) | parity(line, at+m, row)<<1
		if (differ^value)&3 != 0 {
			return false
		}
		value >>= 2
		at += 2 * m
	}
	return columns == 0 || parity(line, at, row) == value&1
}

// wordParity returns the parity of the bits of line that row selects from bit i
// on.
func wordParity(line []byte, i int, row uint64) uint32 {
	return uint32(bits.OnesCount64(load(line, i)&row)) & 1
}

func parity(line []byte, i int, row gf2.Row) uint32 {
	return uint32(bits.OnesCount64(load(line, i)&row.Lo^load(line, i+64)&row.Hi)) & 1
}

// load returns the 64 bits of line from bit i on.
func load(line []byte, i int) uint64 {
	p, shift := (*[9]byte)(line[i/8:]), i%8
	return binary.LittleEndian.Uint64(p[:])>>shift | uint64(p[8])<<(64-shift)
}
