package resident_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// equalBlocks returns two sets of two keys of which Pebble's Bloom filter makes
// the same block: it draws no seed, and has 2^18 patterns for a key. All keys
// of the lower set come before those of the upper one.
func equalBlocks() (lower, upper [][]byte) {
	lowerKeys := map[string][]byte{}
	for i := 0; len(upper) < 2; i++ {
		low, high := fmt.Appendf(nil, "lower%07d", i), fmt.Appendf(nil, "upper%07d", i)
		lowerKeys[pebbleBlock(low)] = low
		if key := lowerKeys[pebbleBlock(high)]; key != nil {
			lower, upper = append(lower, key), append(upper, high)
		}
	}
	slices.SortFunc(lower, slices.Compare)
	return lower, upper
}

func pebbleBlock(keys ...[]byte) string {
	w := bloom.FilterPolicy(10).NewWriter(pebble.TableFilter)
	for _, key := range keys {
		w.AddKey(key)
	}
	return string(w.Finish(nil))
}

// TestTablesWithEqualBlocks has two tables whose filters are the same bytes, so
// that they are one filter. A batch in key order goes past the last key of the
// one table, and must still ask the filter for keys of the other.
func TestTablesWithEqualBlocks(t *testing.T) {
	lower, upper := equalBlocks()
	require.Equal(t, pebbleBlock(lower...), pebbleBlock(upper...))
	t.Cleanup(pointread.Force(pointread.Index))
	opts := storetest.Options(vfs.NewMem(), nil)
	opts.DisableAutomaticCompactions = true
	plan := pebbleext.Uniform(bloom.FilterPolicy(10))
	db, err := pebbleext.Open("", opts, pebbleext.Options{Plan: plan, FilterMemory: 1 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	for _, keys := range [][][]byte{lower, upper} {
		for _, key := range keys {
			require.NoError(t, db.Set(key, nil, nil))
		}
		require.NoError(t, db.Flush())
	}
	require.Equal(t, 1, db.Filters().Stats().Known)
	for i := range 1000 {
		keys := [][]byte{fmt.Appendf(nil, "%s+%d", upper[0], i), upper[1]}
		var found []int
		require.NoError(t, db.HasMany(keys, func(i int) { found = append(found, i) }))
		require.Equal(t, []int{1}, found, "%q", keys)
	}
}
