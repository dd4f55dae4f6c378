package ribbon

import (
	"errors"
	"fmt"
)

// ErrConflict is the error of a key that is given with two values.
var ErrConflict = errors.New("two values for one key")

// Retrieval maps the keys it was built from to their values without storing the
// keys: with 10⁵ of them, in 0.03 bits more for each than its value has. For
// any other key it returns an arbitrary value. This is the static function, or
// Bloomier filter, of the papers, and what a filter keeps fingerprints in.
//
// It may be used concurrently.
type Retrieval struct {
	g    geometry
	data []byte // the table and overread zeros
}

// NewRetrieval builds the map from hashes[i] to values[i]. A hash stands for a
// key, and all of its 64 bits are taken for random; a repeated one must have
// the same value each time, else the error is ErrConflict. Values have bits
// bits, from 1 to 32. It takes some 100 ns for each key, and 30 bytes until it
// returns.
func NewRetrieval(hashes []uint64, values []uint32, bits int) (*Retrieval, error) {
	if bits < 1 || bits > maxColumns {
		return nil, fmt.Errorf("a value has from 1 to %d bits, not %d", maxColumns, bits)
	}
	if len(hashes) != len(values) {
		return nil, fmt.Errorf("%d values for %d keys", len(values), len(hashes))
	}
	for _, v := range values {
		if v>>(bits-1)>>1 != 0 {
			return nil, fmt.Errorf("value %d has more than %d bits", v, bits)
		}
	}
	b, release := acquireBuilder(len(hashes))
	defer release()
	g, ok := b.build([]keys{{hashes, values}})
	if !ok {
		return nil, ErrConflict
	}
	g.columns = uint64(bits)
	r := &Retrieval{g, make([]byte, g.size()+overread)}
	b.store(g, r.data)
	return r, nil
}

// Get returns the value of a key.
func (r *Retrieval) Get(hash uint64) uint32 {
	if r.g.slots() == 0 {
		return 0
	}
	return r.g.value(r.data, r.g.reach(r.data, hash))
}

// Size returns the size of the map in bytes.
func (r *Retrieval) Size() int { return len(r.data) }
