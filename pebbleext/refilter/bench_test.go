package refilter

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// BenchmarkRun gives a store on disk that lies in L6 and has no filters
// those of bloom:10, and compares with what there was to do before: writing a
// key at each end of the store and compacting its span, which takes all tables
// of L6 along. Records are of 16 and 100 bytes, which do not compress.
//
//	go test ./pebbleext/refilter -run '^$' -bench BenchmarkRun -benchtime 3x
func BenchmarkRun(b *testing.B) {
	const records = 2_000_000
	source := b.TempDir()
	opts := &pebble.Options{Logger: storetest.QuietLogger{}, FormatMajorVersion: pebble.FormatNewest}
	fillL6(b, source, opts, records)
	plan := pebbleext.Uniform(filterpolicy.Bloom(10))
	for _, c := range []struct {
		name string
		run  func(dir string) (bytes, written int64)
	}{
		{"refilter", func(dir string) (int64, int64) {
			report, err := Run(b.Context(), dir, opts, plan, Settings{})
			require.NoError(b, err)
			require.Positive(b, report.Done)
			return report.Bytes, report.Written
		}},
		{"compaction", func(dir string) (int64, int64) { return forceCompaction(b, dir, opts, plan) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var bytes, written int64
			for range b.N {
				b.StopTimer()
				dir := b.TempDir()
				ok, err := vfs.Clone(vfs.Default, vfs.Default, source, dir)
				require.NoError(b, err)
				require.True(b, ok)
				b.StartTimer()
				stored, wrote := c.run(dir)
				bytes += stored
				written += wrote
				b.StopTimer()
				require.NoError(b, os.RemoveAll(dir))
			}
			b.ReportMetric(float64(written)/float64(bytes), "written/byte")
			b.ReportMetric(b.Elapsed().Seconds()/float64(bytes)*1e9, "s/GB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func fillL6(b *testing.B, dir string, opts *pebble.Options, records int) {
	db := storetest.Open(b, dir, opts)
	value := make([]byte, 100)
	var key [16]byte
	rng := rand.NewChaCha8([32]byte{})
	for i := range records {
		binary.BigEndian.PutUint64(key[:], uint64(i)*0x9e3779b97f4a7c15)
		_, _ = rng.Read(value) // never fails
		require.NoError(b, db.Set(key[:], value, pebble.NoSync))
	}
	storetest.CompactAll(b, db, nil, endOfKeys)
	require.NoError(b, db.Close())
}

var endOfKeys = []byte{255, 255, 255, 255, 255, 255, 255, 255, 255}

func forceCompaction(b *testing.B, dir string, opts *pebble.Options, plan pebbleext.Plan) (bytes, written int64) {
	opts = opts.Clone()
	pebbleext.Apply(opts, plan)
	db := storetest.Open(b, dir, opts)
	bytes = int64(db.Metrics().Levels[6].TablesSize)
	for _, key := range [][]byte{{0}, endOfKeys[:8]} {
		require.NoError(b, db.Set(key, nil, nil))
	}
	storetest.CompactAll(b, db, nil, endOfKeys)
	for _, level := range db.Metrics().Levels {
		written += int64(level.TableBytesCompacted)
	}
	require.NoError(b, db.Close())
	return bytes, written
}
