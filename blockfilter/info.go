package blockfilter

import (
	"errors"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/blockfilter/ribbon"
)

// Info describes a filter block.
type Info struct {
	Family string // as in the text form of policies
	Keys   uint64 // distinct keys that it was built from
	Bytes  int    // size of the block
	Level  int    // of the LSM that it was written for, 0 to 6, or LevelUnknown
	// Fingerprint is the mean bits of a key's fingerprint, to which Cut can cut
	// the block, or 0 if it cannot be cut.
	Fingerprint float64
}

// BitsPerKey returns the size of the block for each of its keys, 0 if it has
// none.
func (i Info) BitsPerKey() float64 {
	if i.Keys == 0 {
		return 0
	}
	return float64(i.Bytes) * 8 / float64(i.Keys)
}

var (
	// ErrNotFilterBlock is the error for bytes that this package did not write,
	// or that a later version of it did.
	ErrNotFilterBlock = errors.New("not a filter block of a known version and family")
	// ErrUncuttable is the error of Cut and CutSize for a block of any family
	// but ribbon.
	ErrUncuttable = errors.New("only filter blocks of family ribbon can be cut")
)

// Describe reads what a block says of itself. It costs a few loads and
// allocates nothing.
func Describe(block []byte) (Info, error) {
	v, ok := trailer.Parse(block)
	if !ok || familyOf(v).name == "" {
		return Info{}, ErrNotFilterBlock
	}
	i := Info{Family: familyOf(v).name, Keys: v.Keys(), Bytes: len(block), Level: v.Level()}
	if v.Family() == trailer.Ribbon {
		if table, ok := ribbon.ParseTable(block); ok {
			i.Fingerprint = table.BitsPerKey()
		}
	}
	return i, nil
}
