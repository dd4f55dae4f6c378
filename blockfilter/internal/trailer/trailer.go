// Package trailer encodes the last 32 bytes of a filter block, which make the
// block self-describing. FORMAT.md is the specification.
package trailer

import "encoding/binary"

// Size is the length of a trailer in bytes.
const Size = 32

const (
	magic   = 0x7647 // "Gv"
	version = 1

	// signature is the block's last three bytes: version, then magic.
	signature      = magic<<8 | version
	signatureShift = 40
)

// Family names the algorithm that wrote a block.
type Family uint8

// The families of version 1. Zero is no family, so that a block of zeros is
// malformed.
const (
	Bloom Family = 1 + iota
	TwoChoice
	Ribbon
	Compressed
	Dense
)

// Kind is a family (low byte) and a layout (high byte). That of lines in the
// Bloom families, and of dense, is the family.
type Kind uint16

// LevelUnknown is the level of a block written by a policy that was not told
// its level. It is stored as 255.
const LevelUnknown = -1

const maxLevel = 6

// Offsets of fields in an encoded trailer.
const (
	seedOffset   = 0
	familyOffset = 24
	levelOffset  = 28

	// KeysOffset is that of View.Keys.
	KeysOffset = 8
	// GeometryOffset is that of View.Geometry.
	GeometryOffset = 16
	// ParamsOffset is that of View.Params.
	ParamsOffset = 25
)

// Shape is what a family says of a block.
type Shape struct {
	Family   Family
	Params   [3]uint8 // owned by the family: see View.Layout for the Bloom families
	Geometry uint64   // owned by the family: mostly the size of its body in some unit
	Bytes    int      // of the body; not stored
}

// BlockSize returns the bytes of the block.
func (s Shape) BlockSize() int { return s.Bytes + Size }

// Append appends to a body the trailer of a block of that many keys, hashed
// with the seed, for a level of the LSM or LevelUnknown.
func (s Shape) Append(body []byte, seed uint64, keys, level int) []byte {
	body = binary.LittleEndian.AppendUint64(body, seed)
	body = binary.LittleEndian.AppendUint64(body, uint64(keys))
	body = binary.LittleEndian.AppendUint64(body, s.Geometry)
	return append(body, byte(s.Family), s.Params[0], s.Params[1], s.Params[2], byte(level),
		version, magic&0xff, magic>>8)
}

// View reads the fields of an encoded trailer in place: MayContain needs two
// or three of them, and decoding all costs as much as a probe.
type View [Size]byte

// Parse returns the trailer of a block. It reports false for a block that is
// too short, is not a filter block, or has a version that this code does not
// know; it does not judge the family's fields.
func Parse(block []byte) (v *View, ok bool) {
	n := len(block) - Size
	if n < 0 {
		return nil, false
	}
	v = (*View)(block[n:])
	return v, v.tail()>>signatureShift == signature
}

// Split splits a block into the family's bytes and the trailer. It reports
// false for a block that is too short.
func Split(block []byte) (body []byte, v *View, ok bool) {
	n := len(block) - Size
	if n < 0 {
		return nil, nil, false
	}
	return block[:n], (*View)(block[n:]), true
}

func (v *View) tail() uint64 { return binary.LittleEndian.Uint64(v[familyOffset:]) }

// Seed returns the seed of the key hash.
func (v *View) Seed() uint64 { return binary.LittleEndian.Uint64(v[seedOffset:]) }

// Keys returns the number of distinct keys.
func (v *View) Keys() uint64 { return binary.LittleEndian.Uint64(v[KeysOffset:]) }

// Geometry returns the family-owned word.
func (v *View) Geometry() uint64 { return binary.LittleEndian.Uint64(v[GeometryOffset:]) }

// Family returns the family byte.
func (v *View) Family() Family { return Family(v[familyOffset]) }

// Kind returns the family and the layout at once.
func (v *View) Kind() Kind { return Kind(binary.LittleEndian.Uint16(v[familyOffset:])) }

// Params returns the family-owned bytes.
func (v *View) Params() [3]uint8 { return [3]uint8(v[ParamsOffset:]) }

// Layout returns the first of the params, where Bloom families keep a layout.
func (v *View) Layout() uint8 { return v[ParamsOffset] }

// Probes returns the second of the params, where Bloom families keep k.
func (v *View) Probes() int { return int(v[ParamsOffset+1]) }

// Choices returns the third of the params, where Bloom families keep c.
func (v *View) Choices() int { return int(v[ParamsOffset+2]) }

// Level returns the level that the block was written for. It is LevelUnknown
// for every byte that is no level.
func (v *View) Level() int {
	if level := int(v[levelOffset]); level <= maxLevel {
		return level
	}
	return LevelUnknown
}
