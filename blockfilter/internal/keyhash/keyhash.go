// Package keyhash turns keys into the 64-bit hashes that every family builds
// from and asks for, and collects them while a table is written.
package keyhash

import (
	"sync"

	"github.com/zeebo/xxh3"
)

// Sum returns the 64-bit XXH3 of key under seed. Everything that a family
// needs of a key derives from it.
func Sum(key []byte, seed uint64) uint64 { return xxh3.HashSeed(key, seed) }

// chunkLen makes a chunk 32 KiB: small enough that a table of a few keys
// wastes little, large enough that the pool is asked once in 4096 keys.
const chunkLen = 4096

var chunks = sync.Pool{New: func() any { return new([chunkLen]uint64) }}

// Collector gathers the hashes of one table's keys in pooled chunks, 8 bytes
// a key. Pebble adds a key once for each of its versions, one after another,
// so equal neighbours are dropped. The zero value with a Seed is ready to use.
// It is not safe for concurrent use.
type Collector struct {
	Seed uint64

	chunks  []*[chunkLen]uint64
	current *[chunkLen]uint64 // the last chunk
	free    int               // entries left in it
	last    uint64            // hash added last
}

// Add adds a key.
func (c *Collector) Add(key []byte) {
	h := Sum(key, c.Seed)
	if c.free == 0 {
		c.grow(h)
	}
	if h == c.last {
		return
	}
	c.last = h
	c.current[chunkLen-c.free] = h
	c.free--
}

// grow starts a chunk. Before the first one there is no hash to repeat: last
// becomes something that the next hash, h, differs from.
func (c *Collector) grow(h uint64) {
	if len(c.chunks) == 0 {
		c.last = ^h
	}
	c.current = chunks.Get().(*[chunkLen]uint64)
	c.chunks = append(c.chunks, c.current)
	c.free = chunkLen
}

// Hashes returns the collected hashes in the order of their keys. They are
// valid until Release.
func (c *Collector) Hashes() [][]uint64 {
	out := make([][]uint64, len(c.chunks))
	for i, ch := range c.chunks {
		out[i] = ch[:]
	}
	if len(out) > 0 {
		out[len(out)-1] = out[len(out)-1][:chunkLen-c.free]
	}
	return out
}

// Release gives the chunks back to the pool and empties the collector.
func (c *Collector) Release() {
	for _, ch := range c.chunks {
		chunks.Put(ch)
	}
	*c = Collector{Seed: c.Seed}
}

// Count returns the number of hashes in all chunks.
func Count(hashes [][]uint64) int {
	n := 0
	for _, ch := range hashes {
		n += len(ch)
	}
	return n
}
