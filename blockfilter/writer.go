package blockfilter

import (
	"math/rand/v2"

	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// TrailerSize is the size in bytes of what a block has behind its family's own
// bytes.
const TrailerSize = trailer.Size

// LevelUnknown is the level, −1, of blocks whose writer was not told one.
const LevelUnknown = trailer.LevelUnknown

// Writer builds one filter block after another. It keeps 8 bytes for each key
// of the current block, in pooled chunks. It is not safe for concurrent use.
type Writer struct {
	family Family
	level  int
	keys   keyhash.Collector
}

// NewWriter returns a writer of blocks of a family, which must be valid. Level
// is the level of the LSM that the tables are for, 0 to 6, or LevelUnknown; it
// is recorded in the block and changes nothing else.
func NewWriter(f Family, level int) *Writer {
	return &Writer{family: f, level: level, keys: keyhash.Collector{Seed: rand.Uint64()}}
}

// AddKey adds a key to the current block. Repeats of the key added last are
// free; others cost bits.
func (w *Writer) AddKey(key []byte) { w.keys.Add(key) }

// Finish appends the block to dst and makes the writer ready for the next one,
// which gets a seed of its own.
func (w *Writer) Finish(dst []byte) []byte {
	dst = w.family.AppendBlock(dst, w.keys.Hashes(), w.keys.Seed, w.level)
	w.keys.Release()
	w.keys.Seed = rand.Uint64()
	return dst
}
