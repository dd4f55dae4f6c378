package blockfilter_test

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/blockfilter/internal/keyhash"
)

// keyKinds have keys as stores have them, far from random.
var keyKinds = map[string]func(i uint64) []byte{
	"big-endian":    func(i uint64) []byte { return binary.BigEndian.AppendUint64(nil, i) },
	"little-endian": func(i uint64) []byte { return binary.LittleEndian.AppendUint64(nil, i) },
	"decimal":       func(i uint64) []byte { return fmt.Appendf(nil, "%020d", i) },
	"user":          func(i uint64) []byte { return fmt.Appendf(nil, "user%d", i) },
	"UUID": func(i uint64) []byte {
		a, b := keyhash.Mix(i), keyhash.Mix(^i)
		return fmt.Appendf(nil, "%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>50, b&(1<<48-1))
	},
	"URL": func(i uint64) []byte {
		return fmt.Appendf(nil, "https://www.example.com/archive/2026/articles/by-number/%d/index.html?page=%d", i/7, i%7)
	},
	"path": func(i uint64) []byte {
		return fmt.Appendf(nil, "/srv/data/tenants/%03d/%03d/blobs/part-%05d.parquet", i>>16, i>>8&0xff, i&0xff)
	},
	"20-byte hash": func(i uint64) []byte { h := sha1.Sum(binary.BigEndian.AppendUint64(nil, i)); return h[:] },
	"32-byte hash": func(i uint64) []byte { h := sha256.Sum256(binary.BigEndian.AppendUint64(nil, i)); return h[:] },
	// Keys 2j and 2j+1 differ in one bit, j mod 64.
	"one bit": func(i uint64) []byte {
		return binary.BigEndian.AppendUint64(nil, keyhash.Mix(i/2)^(i&1)<<(i/2%64))
	},
	"long": func(i uint64) []byte { return fmt.Appendf(make([]byte, 0, 600), "%0500d", i) },
}

// amounts has every family at low and high rates.
var amounts = policies(
	"bloom:6",
	"bloom:10",
	"bloom:10,layout=flat",
	"bloom:10,layout=flat,scheme=partition",
	"bloom:10,layout=flat,scheme=classic",
	"twochoice:6",
	"twochoice:10,choices=3",
	"twochoice:8,layout=flat",
	"ribbon:4",
	"ribbon:8.5",
	"dense:6",
	"dense:9.5",
	"compressed:5",
	"compressed:10",
)

// buildSeeded builds a filter of keys 0, 2, 4, … of a kind. Odd ones are
// absent.
func buildSeeded(f blockfilter.Policy, key func(uint64) []byte, keys int, seed uint64) []byte {
	c := keyhash.Collector{Seed: seed}
	defer c.Release()
	for i := range uint64(keys) {
		c.Add(key(2 * i))
	}
	return f.AppendBlock(nil, c.Hashes(), seed)
}

// TestRatesOfStructuredKeys: keys that differ in little are as good as random
// ones. 5 % allow for what a filter of this size differs from a large one;
// beyond filtertest.Sigmas more, each of the 132 cases fails with probability
// 1e-7 for a hash without fault, at a seed drawn at random. The seed is fixed.
func TestRatesOfStructuredKeys(t *testing.T) {
	const keys = 40_000
	for kind, key := range keyKinds {
		t.Run(kind, func(t *testing.T) {
			for _, f := range amounts {
				block := buildSeeded(f, key, keys, filtertest.Seed)
				positives := 0
				for i := range uint64(keys) {
					if !blockfilter.MayContain(block, key(2*i)) {
						require.Failf(t, "false negative", "%+v: key %d", f, 2*i)
					}
					if blockfilter.MayContain(block, key(2*i+1)) {
						positives++
					}
				}
				filtertest.AtMost(t, 1.05*f.ExpectedRate(1<<24), positives, keys)
				mean := 0.95 * f.ExpectedRate(1<<24) * keys
				require.Greater(t, float64(positives), mean-filtertest.Sigmas*math.Sqrt(mean), "%v", f)
			}
		})
	}
}

// TestPreparedKeys: keys chosen to pass the filter of one seed pass that of
// another no more often than any. See filtertest.AtMost for false alarms.
func TestPreparedKeys(t *testing.T) {
	const keys, prepared = 20_000, 2000
	for _, f := range amounts {
		key := keyKinds["big-endian"]
		known := buildSeeded(f, key, keys, 1)
		other := buildSeeded(f, key, keys, 2)
		passed, again := 0, 0
		for i := uint64(1); passed < prepared; i += 2 {
			if blockfilter.MayContain(known, key(i)) {
				passed++
				if blockfilter.MayContain(other, key(i)) {
					again++
				}
			}
		}
		filtertest.AtMost(t, 1.1*f.ExpectedRate(1<<24), again, prepared)
	}
}
