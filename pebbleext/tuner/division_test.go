package tuner

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// dividedStore has 100,000 records of 64 bytes in one table of L6, and a Tuner
// that divides its memory.
type dividedStore struct {
	*pebble.DB
	fs      *storetest.CountingFS
	filters *resident.Filters
	tuner   *Tuner
}

func newDividedStore(t *testing.T, memory, budget int64) *dividedStore {
	filters, err := resident.New(resident.Settings{})
	require.NoError(t, err)
	s := &dividedStore{fs: &storetest.CountingFS{FS: vfs.NewMem(), Suffix: ".sst"}, filters: filters}
	cache := pebble.NewCache(memory)
	defer cache.Unref()
	opts := &pebble.Options{
		FS: s.fs, Cache: cache, MemTableSize: 64 << 10, Logger: storetest.QuietLogger{},
		FormatMajorVersion: pebble.FormatNewest,
	}
	opts.TargetFileSizes[0] = 64 << 20
	s.tuner, err = New(opts, storetest.ParsePlan(t, "dense:10"), Settings{
		Budget:   levelplan.Budget{Bytes: budget, Reads: levelplan.Reads{Present: 0.5}},
		Resident: filters,
		MaxStep:  100,
	})
	require.NoError(t, err)
	filters.Apply(opts)
	s.DB = storetest.Open(t, "", opts)
	require.NoError(t, filters.Start(s.DB, opts))
	t.Cleanup(func() {
		require.NoError(t, filters.Close())
		require.NoError(t, s.Close())
	})
	s.write(t, 1)
	return s
}

const dividedRecords = 100_000

func dividedKey(i uint64) []byte { return binary.BigEndian.AppendUint64(nil, i) }

// write writes every nth record.
func (s *dividedStore) write(t *testing.T, n uint64) {
	value := make([]byte, 64)
	random := rand.NewChaCha8([32]byte{})
	for i := uint64(0); i < dividedRecords; i += n {
		_, _ = random.Read(value) // never fails
		require.NoError(t, s.Set(dividedKey(2*i), value, nil))
	}
	storetest.CompactAll(t, s.DB, nil, dividedKey(1<<63))
}

// price counts what lookups read that are of present keys every other time.
func (s *dividedStore) price(t *testing.T) float64 {
	way := pointread.ByTableFilters
	if s.filters.Stats().Budget > 0 {
		way = pointread.ByIndexFilters // asks no table filter in the cache
	}
	restore := pointread.Fix(way)
	reader := pebbleext.NewReader(s.DB, nil, pebbleext.WithResident(s.filters))
	restore()
	random := rand.New(rand.NewPCG(1, 2))
	look := func(lookups int) {
		for range lookups {
			i := random.Uint64N(2 * dividedRecords)
			has, err := reader.Has(dividedKey(i))
			require.NoError(t, err)
			require.Equal(t, i%2 == 0, has)
		}
	}
	require.Eventually(t, func() bool {
		look(100)
		stats := s.filters.Stats()
		return stats.Budget == 0 || int64(stats.Filters) == s.Metrics().Total().TablesCount
	}, time.Minute, time.Millisecond)
	const warmUp, lookups = 20_000, 4000
	look(warmUp)
	reads, bytes := s.fs.Reads.Load(), s.fs.Bytes.Load()
	look(lookups)
	read := levelplan.DiskReads{
		Reads: float64(s.fs.Reads.Load()-reads) / lookups,
		Bytes: float64(s.fs.Bytes.Load()-bytes) / lookups,
	}
	return read.Price()
}

// TestDivision: where a filter block fits the cache it is there, else it is
// resident, and that is what makes lookups read least, by count.
func TestDivision(t *testing.T) {
	for _, c := range []struct {
		memory, budget int64
		resident       bool
	}{
		{240 << 10, 160 << 10, true}, // a filter block is larger than a shard
		{4 << 20, 160 << 10, false},
	} {
		t.Run(fmt.Sprint(c.memory>>10, "KiB"), func(t *testing.T) {
			s := newDividedStore(t, c.memory, c.budget)
			for n := uint64(10); n < 13; n++ {
				e := s.tuner.Tune(s.DB)
				require.NoError(t, e.Err)
				require.Equal(t, c.resident, e.Resident > 0, "%+v", e)
				require.Equal(t, e.Resident, s.filters.Stats().Budget)
				s.write(t, n) // tables of the plan
			}
			require.False(t, s.tuner.Tune(s.DB).Changed)
			chosen := s.price(t)
			other := int64(0)
			if !c.resident {
				other = 2 * c.budget
			}
			require.NoError(t, s.tuner.division.set(other))
			against := s.price(t)
			t.Logf("chosen %.3f, other %.3f", chosen, against)
			require.Less(t, chosen, 1.05*against+0.02)
		})
	}
}

func TestDivisionErrors(t *testing.T) {
	filters, err := resident.New(resident.Settings{})
	require.NoError(t, err)
	cache := pebble.NewCache(1 << 20)
	defer cache.Unref()
	for wrong, c := range map[string]struct {
		budget levelplan.Budget
		cache  *pebble.Cache
	}{
		"Options.Cache, which is not set": {levelplan.Budget{Bytes: 1 << 10}, nil},
		"more than the cache's 1048576":   {levelplan.Budget{Bytes: 1 << 21}, cache},
		"asks no resident filters":        {levelplan.Budget{Bytes: 1 << 10, Reads: levelplan.Reads{Get: true}}, cache},
	} {
		_, err := New(&pebble.Options{Cache: c.cache}, pebbleext.Plan{}, Settings{Budget: c.budget, Resident: filters})
		require.ErrorContains(t, err, wrong)
	}
}
