package ribbon

import (
	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// AppendBlock appends to dst a filter block for the given key hashes: a table
// of their fingerprints, then t with the fields that describe it filled in. The
// caller sets t's Seed and Level. It cannot fail: keys that no table holds,
// which takes more than 10⁸ or a cap below one bit each, get a Bloom block.
//
// It takes up to 22 bytes of scratch for each key beside dst and the hashes.
// Calls may run at the same time; those whose scratch would exceed 256 MiB
// together wait for each other.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, t trailer.Trailer) []byte {
	n := keyhash.Count(hashes)
	b := acquireBuilder(n)
	defer b.release(n)

	chunks := make([]keys, len(hashes))
	for i, h := range hashes {
		chunks[i].hashes = h
	}
	g, ok := b.build(chunks)
	if !ok || !c.setColumns(&g) {
		return c.bloom().AppendBlock(dst, hashes, t)
	}
	t.Keys = uint64(n)
	g.describe(&t)
	dst, body := trailer.Grow(dst, int(g.size()))
	b.store(g, body)
	return t.Append(dst)
}

// setColumns gives g the columns that c asks for, or as many as MaxBytes
// leaves. It reports false if that is less than one.
func (c Config) setColumns(g *geometry) bool {
	for steps := uint64(c.BitsPerKey * 256); steps >= 256; steps-- {
		g.columns, g.extra = steps/256, steps%256
		if c.MaxBytes <= 0 || g.size()+trailer.Size <= uint64(c.MaxBytes) {
			return true
		}
	}
	return false
}

// bloom returns Bloom filters of the same rate and cap.
func (c Config) bloom() bloom.Config {
	// Every rate that c can have is in reach of a Bloom filter.
	bits, _ := bloom.Bits(bloom.Flat, c.Rate())
	return bloom.Config{BitsPerKey: bits, MaxBytes: c.MaxBytes, Layout: bloom.Flat}
}
