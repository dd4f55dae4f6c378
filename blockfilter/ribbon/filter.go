package ribbon

import (
	"math"

	"github.com/gravelkv/gravel/blockfilter/bloom"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// AppendBlock appends to dst the block of the keys with these hashes under
// seed, for a level of the LSM from 0 to 6, or for none if it is −1.
// It cannot fail: keys that no table holds, which takes more than 10⁸ or a cap
// below one bit each, get a Bloom filter.
//
// It takes up to 22 bytes of scratch for each key beside dst and the hashes.
// Calls may run at the same time. Those for more than 760,000 keys wait for each
// other where their scratch would exceed 256 MiB together.
func (c Config) AppendBlock(dst []byte, hashes [][]uint64, seed uint64, level int) []byte {
	n := keyhash.Count(hashes)
	b, release := acquireBuilder(n)
	defer release()

	g, ok := b.build(hashes)
	if !ok || !c.setColumns(&g) {
		return c.bloom().AppendBlock(dst, hashes, seed, level)
	}
	dst, body := trailer.Grow(dst, int(g.size()))
	b.store(g, body)
	return g.shape().Append(dst, seed, n, level)
}

// Wrote reports whether c writes such a block for as many keys. The sizes of a
// table's layers depend on the seed, its columns on those and c.
func (c Config) Wrote(block []byte) bool {
	_, v, ok := trailer.Split(block)
	if ok && v.Family() == trailer.Bloom {
		return c.mayOverflow(int(v.Keys())) && c.bloom().Wrote(block)
	}
	table, ok := ParseTable(block)
	wanted := table.geometry
	return ok && v.Family() == trailer.Ribbon && c.setColumns(&wanted) && wanted == table.geometry
}

// mayOverflow reports whether n keys may be too many for any table: for its
// sizes, or for MaxBytes. It allows for 5 % more slots than there are on
// average.
func (c Config) mayOverflow(n int) bool {
	slots, fixed := expectedTable(n)
	return n > maxBuckets*bucketSlots/2 || c.MaxBytes > 0 && 1.05*slots/8+fixed > float64(c.MaxBytes)
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
	rate := c.rate()
	least := math.Inf(1)
	for k := 1; k <= maxColumns; k++ { // the best k is log2(1/rate), which is no more
		least = min(least, float64(k)/-math.Log1p(-math.Pow(rate, 1/float64(k))))
	}
	return bloom.Config{BitsPerKey: least, MaxBytes: c.MaxBytes, Flat: true}
}
