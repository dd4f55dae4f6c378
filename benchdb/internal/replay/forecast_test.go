package replay

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
)

// TestForecastOfIndexes expects indexes of 20 KiB below a top of 1 KiB, with
// index filters of so many bits or without, under plans with the same and others.
func TestForecastOfIndexes(t *testing.T) {
	for _, c := range []struct {
		has  int
		plan string
		want index
	}{
		{8, "none;index=8", index{top: 1 << 10, partition: 5 << 10, partitions: 4}},
		{8, "none", index{top: 1 << 10, partition: 5 << 10, partitions: 2}},               // 10 KiB less
		{8, "none;index=14", index{top: 1 << 10, partition: 26 << 10 / 6, partitions: 6}}, // 6 KiB more
		{0, "bloom:10", index{top: 1 << 10, partition: 5 << 10, partitions: 4}},
		{0, "none;index=14", index{top: 1 << 10, partition: 36 << 10 / 9, partitions: 9}}, // 16 KiB more
	} {
		p, err := policy.Parse(c.plan)
		require.NoError(t, err)
		s := simulation{Copy: Copy{Policy: p, Overlaps: &Overlaps{}}}
		s.partition[6] = 4 << 10
		properties := &sstable.Properties{IndexSize: 21 << 10, TopLevelIndexSize: 1 << 10, IndexPartitions: 4}
		properties.NumEntries = 8 << 10
		got := s.index(&table{level: 6, index: c.has, info: pebble.SSTableInfo{Properties: properties}})
		require.Equal(t, c.want, got, "%d bits, %s", c.has, c.plan)
	}
}

// TestChoiceRepeats has the memory of resident filters for one of two tables that
// save as much: the same one each time.
func TestChoiceRepeats(t *testing.T) {
	o := &Overlaps{tables: make([]table, 2)}
	for i := range o.tables {
		o.tables[i].filter = make([]byte, 100)
		o.keys = append(o.keys, []byte{byte(i)})
		o.visits = append(o.visits, []visit{{table: int32(i), denied: true}})
	}
	for range 50 {
		s := simulation{Copy: Copy{Overlaps: o}, filters: filters{own: true}}
		require.Equal(t, map[int32]bool{0: true}, s.choose(Workload{Keys: []int{0, 1}}, 2*residentEntry+150))
	}
}

// TestSampleWithoutEmptyKeys draws from a store of which one key is empty: no
// byte of it can change, and nobody can look it up by a prefix.
func TestSampleWithoutEmptyKeys(t *testing.T) {
	dir := t.TempDir()
	db, err := pebble.Open(dir, &pebble.Options{FormatMajorVersion: pebble.FormatMinSupported})
	require.NoError(t, err)
	for _, key := range []string{"", "a", "m", "z"} {
		require.NoError(t, db.Set([]byte(key), nil, pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
	opts, err := Options(dir, 1<<20)
	require.NoError(t, err)
	v, err := OpenView(dir, opts)
	require.NoError(t, err)
	defer func() { require.NoError(t, v.Close()) }()
	keys, err := v.Sample(t.Context(), 100, 0.5, 1)
	require.NoError(t, err)
	require.NoError(t, v.CheckKeys(keys))
}
