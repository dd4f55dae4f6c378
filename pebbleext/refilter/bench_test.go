package refilter

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// BenchmarkRun gives a store on disk that lies in L6 and has no filters those
// of bloom:10. Beside it, in the same rounds, is what there was to do before:
// writing a key at each end of the store and compacting its span, which takes
// all tables of L6 along. Records are of 16 and 100 bytes, which do not
// compress. Figures are medians.
//
//	go test ./pebbleext/refilter -run '^$' -bench BenchmarkRun -benchtime 5x
func BenchmarkRun(b *testing.B) {
	const records = 2_000_000
	source := b.TempDir()
	opts := &pebble.Options{Logger: storetest.QuietLogger{}, FormatMajorVersion: pebble.FormatNewest}
	fillL6(b, source, opts, records)
	plan := pebbleext.Uniform(filterpolicy.Bloom(10))
	// cost returns seconds a GB, and bytes written for each of the store.
	cost := func(run func(dir string) (bytes, written int64)) (seconds, ratio float64) {
		dir := b.TempDir()
		_, err := vfs.Clone(vfs.Default, vfs.Default, source, dir)
		require.NoError(b, err)
		begin := time.Now()
		bytes, written := run(dir)
		seconds = time.Since(begin).Seconds()
		require.NoError(b, os.RemoveAll(dir))
		return seconds / float64(bytes) * 1e9, float64(written) / float64(bytes)
	}
	var refilter, compaction, ratio []float64
	for range b.N {
		run, written := cost(func(dir string) (int64, int64) {
			report, err := Run(b.Context(), dir, opts, plan, Settings{})
			require.NoError(b, err)
			return report.Bytes, report.Written
		})
		forced, writtenByForce := cost(func(dir string) (int64, int64) { return forceCompaction(b, dir, opts, plan) })
		require.InDelta(b, writtenByForce, written, 0.01)
		refilter, compaction, ratio = append(refilter, run), append(compaction, forced), append(ratio, run/forced)
		b.ReportMetric(written, "written/byte")
	}
	b.ReportMetric(median(refilter), "s/GB")
	b.ReportMetric(median(compaction), "compaction-s/GB")
	b.ReportMetric(median(ratio), "ratio")
	b.ReportMetric(0, "ns/op")
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
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
	pebbleext.Apply(opts, pebbleext.Options{Plan: plan})
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
