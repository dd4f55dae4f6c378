package micro

import (
	"testing"

	"github.com/FastFilter/xorfilter"
	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
)

func filters(t testing.TB, text string) []policy.Filter {
	t.Helper()
	p, err := policy.ParseFilter(text)
	require.NoError(t, err)
	return []policy.Filter{p}
}

func TestFuseKeepsKeys(t *testing.T) {
	for _, text := range []string{"binaryfuse:8", "binaryfuse:16"} {
		for _, n := range []int{1, 2, 3, 4095, 4096, 4097, 20_000} {
			b := Bench{Policies: filters(t, text), Seed: 7}
			for range 2 { // scratch is used again
				f := b.NewFilters(n, 16)
				require.Equal(t, n, ask(b.Policies[0], f.blocks[0], f.keys), "%s, %d keys", text, n)
			}
		}
	}
}

func TestFuseAnswersTrueForWhatIsNoBlock(t *testing.T) {
	b := Bench{Policies: filters(t, "binaryfuse:16")}
	block := b.NewFilters(1000, 16).blocks[0]
	for _, n := range []int{0, 1, 16, 17, len(block) - 2, len(block) - 1} {
		require.True(t, b.Policies[0].MayContain(pebble.TableFilter, block[:n], []byte("absent")), n)
	}
}

func TestFuseAllocatesNothingPerQuery(t *testing.T) {
	b := Bench{Policies: filters(t, "binaryfuse:8")}
	f := b.NewFilters(1000, 16)
	require.Zero(t, testing.AllocsPerRun(10, func() { ask(b.Policies[0], f.blocks[0], f.keys) }))
}

// BenchmarkFuse shows what asking through the policy costs over asking the
// library's filter; both hash the key.
func BenchmarkFuse(b *testing.B) {
	bench := Bench{Policies: filters(b, "binaryfuse:8")}
	f := bench.NewFilters(10_000, 16)
	var hashes []uint64
	for i := range f.keys.len() {
		hashes = append(hashes, xxh3.Hash(f.keys.at(i)))
	}
	library, err := xorfilter.NewBinaryFuse[uint8](hashes)
	require.NoError(b, err)
	perKey := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(f.keys.len()), "ns/key")
	}
	b.Run("policy", func(b *testing.B) {
		for b.Loop() {
			ask(bench.Policies[0], f.blocks[0], f.keys)
		}
		perKey(b)
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			for i := range f.keys.len() {
				library.Contains(xxh3.Hash(f.keys.at(i)))
			}
		}
		perKey(b)
	})
}
