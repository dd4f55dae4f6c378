//go:build unix

package resident

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// BenchmarkQuery asks filters that fit the processor's caches from each core,
// with -cpu 1,2: what cores share is only read. On a machine that is busy with
// other work, the processors' time tells more than the time that passed.
func BenchmarkQuery(b *testing.B) {
	f, err := New(Settings{Budget: 1 << 20})
	require.NoError(b, err)
	var properties [][]byte
	for i := range 8 {
		own := keys(1000*i, 1000)
		property, err := table(f, own, own)
		require.NoError(b, err)
		properties = append(properties, property)
	}
	f.compare = bytes.Compare
	f.active.Store(true)
	f.period.Store(maxPeriod)
	before := processorTime(b)
	b.RunParallel(func(pb *testing.PB) {
		var key [8]byte
		for pb.Next() {
			binary.LittleEndian.PutUint64(key[:], rand.Uint64())
			q := f.Query(key[:])
			for _, property := range properties {
				if _, err := q.Intersects(property); err != nil {
					b.Error(err)
				}
			}
			q.Done()
		}
	})
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// processorTime returns what all processors have spent on the process, in ns.
func processorTime(b *testing.B) int64 {
	var usage unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return usage.Utime.Nano() + usage.Stime.Nano()
}
