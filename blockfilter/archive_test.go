package blockfilter_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/compress"
)

// archived has filters at their entropy and, with one probe, one far above it.
var archived = policies(
	"bloom:10",
	"twochoice:10",
	"bloom:92,layout=flat,k=1",
	"ribbon:8",
	"dense:10",
	"compressed:8",
)

func buildRandom(f blockfilter.Policy, keys int) []byte {
	random := rand.New(rand.NewPCG(uint64(keys), 1))
	w := f.ForLevel(3).NewWriter()
	for range keys {
		w.AddKey(binary.LittleEndian.AppendUint64(nil, random.Uint64()))
	}
	return w.Finish(nil)
}

func TestArchiveRestoresEveryBit(t *testing.T) {
	for _, f := range archived {
		for _, keys := range []int{0, 1, 100, 20_000} {
			block := buildRandom(f, keys)
			for _, c := range compress.Codecs() {
				archive := blockfilter.Archive([]byte("before"), block, c)[6:]
				got, err := blockfilter.Restore([]byte("before"), archive, len(block))
				require.NoError(t, err)
				require.True(t, bytes.Equal(append([]byte("before"), block...), got), "%+v, %s", f, c.Name())
			}
		}
	}
}

// TestArchiveReachesEntropy: the fixed part of an archive is 23 bytes, the
// coder's at most 48.
func TestArchiveReachesEntropy(t *testing.T) {
	for _, f := range archived {
		block := buildRandom(f, 20_000)
		packed := len(blockfilter.Archive(nil, block, compress.Arithmetic))
		require.LessOrEqual(t, float64(packed), 1.001*compress.ArrayEntropy(block)/8+71, "%+v", f)
	}
	sparse := buildRandom(archived[2], 20_000)
	require.Less(t, 11*len(blockfilter.Archive(nil, sparse, compress.Arithmetic)), len(sparse))
}

func TestRestoreRefuses(t *testing.T) {
	block := buildRandom(families[0], 50)
	good := blockfilter.Archive(nil, block, compress.Arithmetic)
	for length := range len(good) {
		_, err := blockfilter.Restore(nil, good[:length], 1<<20)
		require.ErrorIs(t, err, blockfilter.ErrArchive, "cut to %d bytes", length)
	}
	for i := range 8 * len(good) {
		damaged := bytes.Clone(good)
		damaged[i/8] ^= 1 << (i % 8)
		dst, err := blockfilter.Restore([]byte("before"), damaged, 1<<20)
		require.ErrorIs(t, err, blockfilter.ErrArchive, "bit %d", i)
		require.Equal(t, "before", string(dst))
	}
	_, err := blockfilter.Restore(nil, good, len(block)-1)
	require.ErrorContains(t, err, "exceeds the limit")
	_, err = blockfilter.Restore(nil, []byte("GvA\x01\x03zipchecksum"), 10)
	require.EqualError(t, err, `not an intact archive of a filter block: compress: unknown codec "zip"; want arithmetic or snappy`)
}

func FuzzRestore(f *testing.F) {
	for _, c := range compress.Codecs() {
		f.Add(blockfilter.Archive(nil, buildRandom(families[0], 10), c))
	}
	f.Fuzz(func(t *testing.T, archive []byte) {
		block, err := blockfilter.Restore(nil, archive, 1<<12)
		if err != nil {
			require.ErrorIs(t, err, blockfilter.ErrArchive)
			return
		}
		require.LessOrEqual(t, len(block), 1<<12)
	})
}

// BenchmarkArchive prints, for filters of a million keys, the bits per key of
// the block, its entropy and both codecs' archives.
func BenchmarkArchive(b *testing.B) {
	for _, f := range archived {
		b.Run(fmt.Sprintf("%v", f), func(b *testing.B) {
			const keys = 1_000_000
			block := buildRandom(f, keys)
			var archive []byte
			for b.Loop() {
				for _, c := range compress.Codecs() {
					archive = blockfilter.Archive(archive[:0], block, c)
					b.ReportMetric(8*float64(len(archive))/keys, c.Name()+"-bits/key")
				}
			}
			b.ReportMetric(8*float64(len(block))/keys, "block-bits/key")
			b.ReportMetric(compress.ArrayEntropy(block)/keys, "entropy-bits/key")
		})
	}
}
