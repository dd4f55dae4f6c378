package resident

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkQuery asks filters that fit the processor's caches from each core,
// with -cpu 1,2: what cores share is only read.
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
	f.active.Store(true)
	f.period.Store(maxPeriod)
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
}
