package dense

import (
	"encoding/binary"
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/system"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// mayContainGeneric is the portable MayContain.
func mayContainGeneric(block []byte, h uint64) bool {
	body, v, ok := trailer.Split(block)
	if !ok {
		return true
	}
	switch {
	case v.Layout() == lines && trailer.FitsLines(body, v.Geometry()):
		at := keyhash.Scale(h, v.Geometry()) * lineSize
		return contains((*readLine)(block[at:]), h)
	case v.Layout() == oneSystem && v.Geometry() == uint64(len(body)):
		l, ok := system.Parse(body)
		return !ok || l.MayContain(body, h)
	}
	return true
}

// readLine is a line and the bytes after it that a query may read, whatever
// they hold. The trailer comes after the last line.
type readLine [lineSize + overread]byte

const overread = 8

// contains answers for a line whether the key of hash h may be in it.
func contains(line *readLine, h uint64) bool {
	head := headerIn(line[:])
	shape := shapes[head.code()]
	if shape.slots == 0 {
		return head != emptyLine
	}
	m, columns := shape.slots, shape.columns
	e := equationOf(h, m)
	row, value := e.withWindow(head.window()), e.fingerprint()
	if m <= 64 {
		return line.matchesWord(row.Lo, value, uint(m), uint(columns), e.inShare(head))
	}
	return line.matches(uint(headerBits+e.slot(m)), row, value, uint(m), uint(columns), e.inShare(head))
}

// inShare returns 1 for a key with the share's column, 0 for others.
func (e equation) inShare(head header) uint32 {
	if head.code() > maxDense {
		return 0
	}
	return uint32(e.part()-head.share()) >> 31
}

// matchesWord compares the columns of a line whose rows are one word, and then
// the share's. It branches once in four columns: for 15 of 16 absent keys at
// the first. Their number, and whether there is a share's, would be
// mispredicted.
func (l *readLine) matchesWord(row uint64, value uint32, m, columns uint, share uint32) bool {
	at := uint(headerBits)
	for {
		differ := l.parityOf(at, row)
		differ |= l.parityOf(at+m, row) << 1
		differ |= l.parityOf(at+2*m, row) << 2
		differ |= l.parityOf(at+3*m, row) << 3
		if (differ^value)&0xf&(1<<(columns&31)-1) != 0 {
			return false
		}
		if columns <= 4 {
			break
		}
		value >>= 4
		columns -= 4
		at += 4 * m
	}
	at += columns * m
	differ := l.parityOf(at, row&(1<<(lineBits-at)-1)) ^ value>>(columns&31)
	return differ&share == 0
}

// matches is matchesWord for rows of two words.
func (l *readLine) matches(at uint, row gf2.Row, value uint32, m, columns uint, share uint32) bool {
	for {
		differ := l.parity(at, row) | l.parity(at+m, row)<<1
		if (differ^value)&3&(1<<(columns&31)-1) != 0 {
			return false
		}
		if columns <= 2 {
			break
		}
		value >>= 2
		columns -= 2
		at += 2 * m
	}
	at += columns * m
	differ := l.parity(at, row.First(lineBits-at)) ^ value>>(columns&31)
	return differ&share == 0
}

// parityOf returns the parity of the bits that row selects from bit i on.
func (l *readLine) parityOf(i uint, row uint64) uint32 {
	return uint32(bits.OnesCount64(l.load(i)&row)) & 1
}

// parity is parityOf for rows of two words.
func (l *readLine) parity(i uint, row gf2.Row) uint32 {
	return uint32(bits.OnesCount64(l.load(i)&row.Lo^l.load(i+64)&row.Hi)) & 1
}

// load returns the 64 bits from bit i on. Those after the line may be anything.
func (l *readLine) load(i uint) uint64 {
	p, shift := l[i/8%lineSize:], i%8
	return binary.LittleEndian.Uint64(p)>>shift | uint64(p[8])<<1<<(63-shift)
}
