package ribbon

import "github.com/gravelkv/gravel/blockfilter/internal/keyhash"

// A key has an equation in each layer: a row of 64 coefficients from a start
// slot on, and the value that the selected slots must XOR to. All derive from
// its 64-bit hash.

// layer is a range of slots in which keys have equations of their own.
type layer struct {
	number uint64 // 0 and 1 for the bumped layers, 2 + sub-seed for the last
	base   uint64 // first slot
	starts uint64 // slots that a row may start at, from base on
}

// equation is a row of coefficients from a slot on and the value they XOR to.
type equation struct {
	slot  uint64
	row   uint64
	value uint32
}

// contradicts reports whether insert found that e contradicts the equations
// before it.
func (e *equation) contradicts() bool { return e.row == 0 && e.value != 0 }

// hash returns what a key of hash h has in place of h in this layer. The first
// layer, in which all but a few percent of the queries end, takes h itself.
func (l layer) hash(h uint64) uint64 {
	if l.number == 0 {
		return h
	}
	h = (h ^ l.number*keyhash.W) * keyhash.R
	h = (h ^ h>>32) * keyhash.V
	return h ^ h>>29
}

// start returns where in the layer the row of a key starts, 0 for its base.
func (l layer) start(h uint64) uint64 { return keyhash.Scale(l.hash(h), l.starts) }

// equation returns a key's equation.
func (l layer) equation(h uint64) equation {
	own := l.hash(h)
	return equation{l.base + keyhash.Scale(own, l.starts), row(own), fingerprint(h)}
}

// row returns the coefficients of a key. The first is always one, so that a
// start slot that is still free takes the key without elimination.
func row(h uint64) uint64 { return h*keyhash.R | 1 }

// fingerprint returns the value that a filter stores for a key.
func fingerprint(h uint64) uint32 { return uint32(h * keyhash.V >> 32) }
