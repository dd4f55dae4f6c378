package analysis

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/bloom"
)

// Mitzenmacher's table: m bits of the array and z stored bits per key.
func TestStored(t *testing.T) {
	for _, row := range []struct {
		m      float64
		k      int
		z, fpr float64
	}{
		{8, 6, 8.0, 0.0216}, {14, 2, 7.923, 0.0177}, {92, 1, 7.923, 0.0108},
		{16, 11, 16.0, 0.000459}, {28, 4, 15.846, 0.000314}, {48, 3, 15.829, 0.000222},
		{12.6, 2, 7.582, 0.0216}, {46, 1, 6.891, 0.0215},
	} {
		name := fmt.Sprintf("m=%g", row.m)
		m, k := BestStored(row.z+0.001, row.m)
		require.Equal(t, row.k, k, name)
		require.InEpsilon(t, row.m, m, 1e-3, name)
		require.InEpsilon(t, row.z, StoredBits(m, k), 0.003, name)
		require.InEpsilon(t, row.fpr, bloom.Rate(m, k), 0.005, name)
	}
}
