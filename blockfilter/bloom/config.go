package bloom

import (
	"errors"
	"fmt"
	"math"

	"github.com/gravelkv/gravel/blockfilter/internal/line"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
	"github.com/gravelkv/gravel/blockfilter/theory"
)

// Layout is where the probes of a key fall.
type Layout uint8

// The layouts. Their values are stored in blocks.
const (
	// Line keeps all probes of a key in one 512-bit cache line.
	Line Layout = iota
	// Flat spreads them over the whole array, as in the textbook.
	Flat
)

// Scheme is how a flat filter derives its probes.
type Scheme uint8

// The schemes of flat filters. Their values are stored in blocks.
const (
	// Double probes h1 + i·h2 mod m (Kirsch and Mitzenmacher 2008, §3).
	Double Scheme = iota
	// Enhanced2 probes h1 + i·h2 + i² mod m (§5.2).
	Enhanced2
	// Enhanced3 probes h1 + i·h2 + i³ mod m (§5.2).
	Enhanced3
	// Partition probes h1 + i·h2 mod m/k in the i-th of k equal parts (§5.1).
	Partition
	// Independent computes a hash for each probe.
	Independent
	// Classic draws k distinct bits, Bloom's own filter (Burns §3.4).
	Classic
)

const (
	// MaxBitsPerKey bounds Config.BitsPerKey.
	MaxBitsPerKey = 100
	// MaxFlatProbes bounds Config.Probes in the flat layout.
	MaxFlatProbes = 100
)

// Config describes Bloom filters to build.
type Config struct {
	// BitsPerKey is the size of a filter for each of its keys, above 0 and at
	// most MaxBitsPerKey. It need not be whole.
	BitsPerKey float64
	// MaxBytes caps the size of a block, its trailer included; a table with too
	// many keys for it gets fewer bits per key. Zero is no cap.
	MaxBytes int
	Layout   Layout
	// Scheme is of the flat layout only.
	Scheme Scheme
	// Probes is the number k of probes per key, at most line.MaxProbes in the
	// line layout and MaxFlatProbes in the flat one. Zero takes the k of the
	// least false-positive rate.
	Probes int
}

// Validate reports what is wrong with c.
func (c Config) Validate() error {
	err := trailer.CheckBits(c.BitsPerKey, MaxBitsPerKey)
	switch {
	case err != nil:
	case c.Probes < 0 || c.Probes > c.maxProbes():
		err = fmt.Errorf("k must be from 1 to %d, not %d", c.maxProbes(), c.Probes)
	case c.Layout == Line && c.Scheme != Double:
		err = errors.New("a scheme goes with layout=flat")
	case c.Layout > Flat || c.Scheme > Classic:
		err = fmt.Errorf("there is no layout %d with scheme %d", c.Layout, c.Scheme)
	}
	return err
}

// Bits returns the least bits per key at which the layout reaches a
// false-positive rate with its best k.
func (c Config) Bits(rate float64) (float64, error) {
	if c.Probes != 0 {
		return 0, errors.New("k goes with bits per key, not with a rate")
	}
	bits := theory.LineBits(rate)
	if c.Layout == Flat {
		bits = theory.BloomBits(rate)
	}
	if math.IsInf(bits, 0) {
		return 0, fmt.Errorf("a Bloom filter cannot reach a rate of %v %%", rate*100)
	}
	return bits, nil
}

// probes returns k.
func (c Config) probes() int {
	switch {
	case c.Probes > 0:
		return c.Probes
	case c.Layout == Line:
		return theory.LineProbes(c.BitsPerKey)
	}
	return min(theory.BloomProbes(c.BitsPerKey), MaxFlatProbes)
}

func (c Config) maxProbes() int {
	if c.Layout == Line {
		return line.MaxProbes
	}
	return MaxFlatProbes
}
