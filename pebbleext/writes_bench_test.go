//go:build unix

package pebbleext_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// BenchmarkWrites tells what plans cost whoever writes: the processor time of
// filling a store in memory, with its flushes and compactions and all, for each
// MiB that these write. Keys have 16 bytes and are in no order. Each turn fills
// a store for every plan, in another order. It reports the least of each plan's
// turns, as whatever else a machine does only adds: milliseconds for Pebble's
// own Bloom filters, and for other plans the ratio to these. With -cpuprofile it
// tells the share of each family's AppendBlock.
func BenchmarkWrites(b *testing.B) {
	plans := []string{
		"pebble-bloom:10", "none", "bloom:10", "dense:10", "default", "L0-L4=bloom:10;L5-L6=ribbon:10",
	}
	for _, size := range []int{64, 100, 1000} {
		b.Run(fmt.Sprintf("value=%d", size), func(b *testing.B) {
			least := slices.Repeat([]float64{math.Inf(1)}, len(plans))
			for b.Loop() {
				for _, i := range rand.Perm(len(plans)) {
					least[i] = min(least[i], fillCost(b, plans[i], size))
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(least[0], "ms/MiB")
			for i := 1; i < len(plans); i++ {
				b.ReportMetric(least[i]/least[0], plans[i])
			}
		})
	}
}

// fillCost fills a store and returns milliseconds of processor time for each
// MiB of its tables that are written.
func fillCost(b *testing.B, plan string, valueSize int) float64 {
	const userBytes = 16 << 20
	opts := &pebble.Options{
		FS: vfs.NewMem(), DisableWAL: true, Logger: storetest.QuietLogger{},
		MemTableSize: 1 << 20, LBaseMaxBytes: 1 << 20,
	}
	parsed, err := pebbleext.ParsePlan(plan)
	require.NoError(b, err)
	pebbleext.Apply(opts, pebbleext.Options{Plan: parsed})
	runtime.GC() // of the store before
	before := processorTime(b)
	db, err := pebble.Open("", opts)
	require.NoError(b, err)
	key, value := make([]byte, 16), make([]byte, valueSize)
	rng, random := rand.New(rand.NewPCG(1, 2)), rand.NewChaCha8([32]byte{})
	for range userBytes / (len(key) + valueSize) {
		binary.BigEndian.PutUint64(key, rng.Uint64())
		binary.BigEndian.PutUint64(key[8:], rng.Uint64())
		_, _ = random.Read(value[:valueSize/2]) // the other half compresses
		require.NoError(b, db.Set(key, value, pebble.NoSync))
	}
	require.NoError(b, db.Flush())
	for db.Metrics().Compact.NumInProgress > 0 {
		time.Sleep(time.Millisecond)
	}
	written := uint64(0)
	for _, level := range db.Metrics().Levels {
		written += level.TableBytesFlushed + level.TableBytesCompacted
	}
	require.NoError(b, db.Close())
	return (processorTime(b) - before) * 1000 / (float64(written) / (1 << 20))
}

// processorTime returns the seconds that this process has used.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var usage unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
