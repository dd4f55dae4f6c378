package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

func settings(records int) Settings {
	const valueSize = 50
	return Settings{
		Records: records, CacheSize: 1 << 20,
		ValueSize: valueSize, Values: ycsb.NewValues(valueSize, 1),
	}
}

type loader = func(context.Context, string, policy.Policy, Settings, func(int)) (*Store, error)

func load(t *testing.T, build loader, text string, s Settings) *Store {
	t.Helper()
	p, err := policy.Parse(text)
	require.NoError(t, err)
	progress := 0
	st, err := build(t.Context(), filepath.Join(t.TempDir(), "store"), p, s, func(n int) { progress += n })
	require.NoError(t, err)
	require.Equal(t, s.Records, progress)
	return st
}

func TestBuildHasItsShape(t *testing.T) {
	for _, records := range []int{MinRecords, 4321, 60_000} {
		st := load(t, Build, "bloom:10", settings(records))
		d, err := st.Describe()
		require.NoError(t, err)
		require.Len(t, d.Levels, 4)
		for i, want := range []struct {
			level, tables int
			share         float64
		}{{0, 1, 0.01}, {4, 1, 0.04}, {5, 1, 0.15}, {6, 1, 0.80}} {
			l := d.Levels[i]
			require.Equal(t, want.level, l.Level)
			require.Equal(t, want.tables, l.Tables)
			require.InDelta(t, want.share*float64(records), l.Keys, 5)
			require.Positive(t, l.FilterBytes)
		}
		require.Equal(t, d.Levels[3].FilterBytes, d.Filters.LargestBlock)
		require.EqualValues(t, records, d.Filters.Build.Keys)
		require.EqualValues(t, 4, d.Filters.Build.Blocks)
		require.InDelta(t, 10, d.Filters.BitsPerKey, 6, "small filters round up to lines")
	}
}

// Bits per key are those of keys that have a filter.
func TestBitsPerKeyOfFilteredLevels(t *testing.T) {
	for text, want := range map[string]float64{"pebble-bloom:10": 10, "L6=pebble-bloom:10;L0-L5=none": 10, "none": 0} {
		d, err := load(t, Build, text, settings(4000)).Describe()
		require.NoError(t, err)
		require.InDelta(t, want, d.Filters.BitsPerKey, 1, text)
	}
}

func TestEveryRecordIsThere(t *testing.T) {
	const records = 3000
	s := settings(records)
	for name, build := range map[string]loader{"shape": Build, "write": Write} {
		t.Run(name, func(t *testing.T) {
			st := load(t, build, "pebble-bloom:10", s)
			counter := st.Counter()
			db, err := st.Open(View{Dir: st.Dir, FS: vfs.Default, Queries: counter})
			require.NoError(t, err)
			defer func() { require.NoError(t, db.Close()) }()
			for n := range uint64(records) {
				value, closer, err := db.Get(ycsb.Keys(0).Append(nil, n))
				require.NoError(t, err)
				require.Equal(t, s.Values.Of(n), value)
				require.NoError(t, closer.Close())
			}
			if counts := counter.Answers().Total(); name == "shape" {
				require.Positive(t, counts.Number())
				require.Zero(t, counts.FalseNegatives+counts.Unknown)
			}
		})
	}
}

func TestCopyLeavesTheStoreAlone(t *testing.T) {
	st := load(t, Build, "bloom:10", settings(2000))
	before, err := st.Describe()
	require.NoError(t, err)

	dir := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, st.Copy(dir))
	db, err := st.Open(View{Dir: dir, FS: vfs.Default, Writable: true})
	require.NoError(t, err)
	for n := range uint64(2000) {
		require.NoError(t, db.Set(ycsb.Keys(0).Append(nil, n), []byte("changed"), pebble.NoSync))
	}
	require.NoError(t, db.Compact(t.Context(), []byte("user"), []byte("v"), false))
	require.NoError(t, db.Close())
	require.NoError(t, os.RemoveAll(dir))

	after, err := st.Describe()
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestWithin(t *testing.T) {
	st := load(t, Build, "none", settings(5000))
	within, err := st.Within()
	require.NoError(t, err)
	inside := 0
	for n := range uint64(4000) { // the records of L6
		require.True(t, within(ycsb.Keys(0).Append(nil, n)))
	}
	for n := range uint64(1000) {
		if within(ycsb.Keys(0).Append(nil, 1<<62+n)) {
			inside++
		}
	}
	require.Greater(t, inside, 990)
	require.False(t, within([]byte("user")))
	require.False(t, within([]byte("v")))
}

func TestBuildStops(t *testing.T) {
	p, err := policy.Parse("none")
	require.NoError(t, err)
	for _, build := range []loader{Build, Write} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = build(ctx, filepath.Join(t.TempDir(), "store"), p, settings(2000), func(int) {})
		require.ErrorIs(t, err, context.Canceled)
	}
}

func TestLevelsStayAsTheyAre(t *testing.T) {
	st := load(t, Build, "none", settings(20_000))
	before, err := st.Describe()
	require.NoError(t, err)
	db, err := st.Open(View{Dir: st.Dir, FS: vfs.Default, Writable: true})
	require.NoError(t, err)
	_, err = settle(t.Context(), db)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	after, err := st.Describe()
	require.NoError(t, err)
	require.Equal(t, before.Levels, after.Levels, "no compaction is due in the shape")
}
