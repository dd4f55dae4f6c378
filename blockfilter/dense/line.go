package dense

import (
	"encoding/binary"

	"github.com/gravelkv/gravel/blockfilter/internal/gf2"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
)

// A line begins with a header of 16 bits: its code, its window, and its share.
// Column j follows at bit 16 + j·m, and the share's column, of the bits left,
// is the one after the last.
const (
	lineSize   = 64
	lineBits   = 8 * lineSize
	headerBits = 16
	room       = lineBits - headerBits

	codeBits   = 7
	windowBits = 4

	codes   = 1 << codeBits
	windows = 1 << windowBits
	shares  = 1 << (headerBits - codeBits - windowBits)

	// freeSlots are the lowest slots, whose coefficients the window chooses.
	freeSlots = 6
	freeMask  = 1<<freeSlots - 1

	// rowBits is the most slots that a row selects from.
	rowBits = 128
	// maxColumns leaves one of 32 fingerprint bits for the share's column.
	maxColumns = 31
	// maxDense is the most slots of a line whose rows may select any slot.
	maxDense = 124
)

// A line of code 0 has no columns. If its whole header is zero no key passes,
// and otherwise all do.
const (
	emptyLine = header(0)
	fullLine  = header(1 << codeBits)
)

// shape is the numbers of slots and columns that a code stands for.
type shape struct{ slots, columns int }

// shapes has the shape of each code. A code up to maxDense is the number of
// slots; the three beyond it are for lines of many keys, whose rows select from
// 128 neighbouring slots.
var shapes = func() (s [codes]shape) {
	for m := 1; m <= maxDense; m++ {
		s[m] = shape{m, min(room/m, maxColumns)}
	}
	for i, columns := range []int{3, 2, 1} {
		s[maxDense+1+i] = shape{room / columns, columns}
	}
	return s
}()

// header is a line's first word.
type header uint16

func headerOf(code, window, share int) header {
	return header(code | window<<codeBits | share<<(codeBits+windowBits))
}

func (h header) code() int   { return int(h % codes) }
func (h header) window() int { return int(h >> codeBits % windows) }
func (h header) share() int  { return int(h >> (codeBits + windowBits)) }

func (h header) put(line []byte)  { binary.LittleEndian.PutUint16(line, uint16(h)) }
func headerIn(line []byte) header { return header(binary.LittleEndian.Uint16(line)) }

// equation is that of a key in a line of m slots, without a window.
type equation struct {
	row   gf2.Row // its coefficients of the free slots are zero
	other uint64
}

// equationOf returns the equation of the key of hash h.
//
// The highest bits of h are the same for all keys of a line, so each word is
// made of a product. The low bits of two products with one factor are linear
// functions of each other, and equations of such bits have no solution: rows
// take none of them.
func equationOf(h uint64, m int) equation {
	y := h * keyhash.R
	y ^= y >> 32
	e := equation{other: y * keyhash.W}
	switch {
	case m <= 64:
		e.row.Lo = y >> (64 - m) &^ freeMask
	case m <= maxDense:
		e.row = gf2.Row{Lo: y &^ freeMask, Hi: y * keyhash.V >> (rowBits - m)}
	default:
		e.row = gf2.Row{Lo: y &^ freeMask, Hi: y * keyhash.V}
	}
	return e
}

// Where equation.other has the coefficients of the free slots, for the first
// window, the part, and the fingerprint. The bits below are too low ones of a
// product.
const (
	freeShift        = 6
	partShift        = 27
	fingerprintShift = 32
)

// free returns the coefficients of the free slots for a window.
func (e equation) free(window int) uint64 { return e.other >> (freeShift + window) & freeMask }

// part returns a number below shares: the key has the share's column if its
// part is below the share.
func (e equation) part() int { return int(e.other >> partShift % shares) }

// fingerprint returns the value, a bit for each column.
func (e equation) fingerprint() uint32 { return uint32(e.other >> fingerprintShift) }

// slot returns where the row begins: at the first slot unless the line has more
// slots than a row.
func (e equation) slot(m int) int {
	if m <= rowBits {
		return 0
	}
	return int(e.other >> 40 * uint64(m-rowBits+1) >> 24)
}

// withWindow returns the row with its coefficients of the free slots.
func (e equation) withWindow(window int) gf2.Row {
	return gf2.Row{Lo: e.row.Lo | e.free(window), Hi: e.row.Hi}
}
