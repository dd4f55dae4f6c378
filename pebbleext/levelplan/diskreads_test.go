package levelplan

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// threeLevels has 33 MB of data in records of 90 bytes, and at 10 bits a key
// 0.5 MB of filters, in tables or in the index.
var threeLevels = Shape{Levels: []LevelShape{
	{Level: 0, Keys: 4000},
	{Level: 5, Keys: 40_000, Tables: 10},
	{Level: 6, Keys: 320_000, Tables: 80},
}}

// memtable is what Pebble takes off the block cache.
const memtable = 256 << 10

// TestDiskReads compares the model with what lookups read from a real store,
// with caches that have room for filters and with ones that have not.
func TestDiskReads(t *testing.T) {
	const small, large = 384 << 10, 1792 << 10
	for text, memories := range map[string][]Memory{
		"none":                      {{Cache: small}, {Cache: large}},
		"bloom:10":                  {{Cache: small}, {Cache: large}, {Cache: small, Resident: true}, {Cache: large, Resident: true}},
		"none;index=8":              {{Cache: small}, {Cache: large}},
		"bloom:5;index=8":           {{Cache: large}},
		"L0-L5=bloom:10;L6=bloom:4": {{Cache: small, Resident: true}},
	} {
		plan, err := pebbleext.ParsePlan(text)
		require.NoError(t, err)
		fs := &storetest.CountingFS{FS: vfs.NewMem(), Suffix: ".sst"}
		shape := writeThreeLevels(t, fs, plan)
		for _, m := range memories {
			for _, present := range []float64{0, 0.5} {
				t.Run(fmt.Sprintf("%s/resident=%v/%dKiB/%v", text, m.Resident, m.Cache>>10, present), func(t *testing.T) {
					absent, hit, err := shape.DiskReads(shape.Filters(plan), Reads{Present: present}, m)
					require.NoError(t, err)
					for kind, got := range countReads(t, fs, m, plan, present) {
						want := []DiskReads{absent, hit}[kind]
						t.Logf("%s key: %.3f reads, %.3f modelled; %.2f KiB, %.2f", []string{"absent", "present"}[kind],
							got.Reads, want.Reads, got.Bytes/1024, want.Bytes/1024)
						require.InDelta(t, got.Reads, want.Reads, 0.03+0.15*got.Reads)
						require.InDelta(t, got.Bytes, want.Bytes, 100+0.15*got.Bytes)
					}
				})
			}
		}
	}
}

// writeThreeLevels writes a store of that shape, with all it tells of blocks.
func writeThreeLevels(t *testing.T, fs vfs.FS, plan pebbleext.Plan) Shape {
	opts, _ := storeOptions(plan)
	opts.FS, opts.LBaseMaxBytes = fs, 4<<20
	random := rand.NewChaCha8([32]byte{})
	db := ingestShape(t, threeLevels, opts, func([]byte) []byte {
		value := make([]byte, 64)
		_, _ = random.Read(value) // never fails
		return value
	})
	shape, err := ReadShape(db, nil)
	require.NoError(t, err)
	require.Len(t, shape.Levels, len(threeLevels.Levels))
	require.NoError(t, db.Close())
	return shape
}

// threeLevelsStore is an open store of that shape, with the filters that its
// lookups ask.
type threeLevelsStore struct {
	*pebble.DB
	plan     pebbleext.Plan
	resident *resident.Filters // nil for none
}

func openThreeLevels(t *testing.T, fs vfs.FS, m Memory, plan pebbleext.Plan) threeLevelsStore {
	s := threeLevelsStore{plan: plan}
	opts, _ := storeOptions(plan)
	opts.FS, opts.CacheSize, opts.ReadOnly = fs, m.Cache+memtable, true
	if m.Resident {
		var err error
		s.resident, err = resident.New(resident.Settings{Budget: 1 << 20})
		require.NoError(t, err)
		s.resident.Apply(opts)
	}
	s.DB = storetest.Open(t, "", opts)
	if m.Resident {
		require.NoError(t, s.resident.Start(s.DB, opts))
	}
	return s
}

func (s threeLevelsStore) close(t *testing.T) {
	if s.resident != nil {
		require.NoError(t, s.resident.Close())
	}
	require.NoError(t, s.Close())
}

// load looks keys up until all filters are in memory.
func (s threeLevelsStore) load(t *testing.T) {
	tables := s.Metrics().Total().TablesCount
	random := rand.New(rand.NewPCG(2, 2))
	require.Eventually(t, func() bool {
		for range 100 {
			if _, err := s.has(scattered(1e9 + random.Uint64N(1e9))); err != nil {
				panic(err)
			}
		}
		return int64(s.resident.Stats().Filters) == tables
	}, time.Minute, time.Millisecond)
}

// countReads returns what lookups of absent and of present keys read, once as
// many have filled the cache.
func countReads(t *testing.T, fs *storetest.CountingFS, m Memory, plan pebbleext.Plan, present float64) (means []DiskReads) {
	s := openThreeLevels(t, fs, m, plan)
	defer s.close(t)
	if m.Resident {
		s.load(t)
	}
	const lookups = 10_000
	random := rand.New(rand.NewPCG(1, 1))
	sums, n := make([]DiskReads, 2), make([]float64, 2)
	for i := range 2 * lookups {
		kind, number := 0, 1e9+random.Uint64N(1e9)
		if random.Float64() < present {
			kind, number = 1, random.Uint64N(364_000)
		}
		reads, bytes := fs.Reads.Load(), fs.Bytes.Load()
		if found, err := s.has(scattered(number)); err != nil || found != (kind == 1) {
			require.FailNow(t, "a wrong answer", "%d: %v, %v", number, found, err)
		}
		if i >= lookups {
			n[kind]++
			sums[kind].add(DiskReads{float64(fs.Reads.Load() - reads), float64(fs.Bytes.Load() - bytes)}, 1)
		}
	}
	for kind, sum := range sums {
		if n[kind] > 0 {
			means = append(means, DiskReads{sum.Reads / n[kind], sum.Bytes / n[kind]})
		}
	}
	return means
}

// has looks up a key by an iterator that asks all filters, those of tables
// through the block cache unless they are resident.
func (s threeLevelsStore) has(key []byte) (bool, error) {
	o := pebble.IterOptions{UseL6Filters: true}
	filters := make([]pebble.BlockPropertyFilter, 0, 3)
	if s.resident != nil {
		query := s.resident.Query(key)
		defer query.Done()
		filters = append(filters, query)
	}
	if s.plan.Index > 0 {
		filter := indexfilter.NewFilter(nil)
		filter.SetPrefix(key)
		filters = append(filters, filter)
	}
	if len(filters) > 0 {
		o.PointKeyFilters, o.LowerBound, o.UpperBound = filters, key, append(key, 0)
	}
	iter, err := s.NewIter(&o)
	if err != nil {
		return false, err
	}
	seek := iter.SeekPrefixGE
	if s.resident != nil {
		seek = iter.SeekGE // asks no table filter
	}
	found := seek(key)
	return found, iter.Close()
}

// TestLargeBlocks has filter blocks that are larger than a shard of the cache:
// every lookup reads one in each level, whole.
func TestLargeBlocks(t *testing.T) {
	plan, err := pebbleext.ParsePlan("L0-L5=none;L6=bloom:10")
	require.NoError(t, err)
	s := Shape{Levels: []LevelShape{{Level: 5, Keys: 1e5}, {Level: 6, Keys: 1e6}}}
	of := func(m Memory, reads Reads) DiskReads {
		absent, _, err := s.DiskReads(s.Filters(plan), reads, m)
		require.NoError(t, err)
		return absent
	}
	const block = 1_250_000
	fits := of(Memory{Cache: 1 << 40}, Reads{})
	require.InDelta(t, 0, fits.Bytes, 1e-6)
	large, small := of(Memory{Cache: 4 * 1.02 * block}, Reads{}), of(Memory{Cache: 4 * 0.99 * block}, Reads{})
	require.Greater(t, small.Bytes, 0.99*block)
	require.Less(t, large.Bytes, block/100.0)
	resident := of(Memory{Cache: 1 << 20, Resident: true}, Reads{})
	require.Less(t, resident.Reads, 1.05, "of the level without filters")
	get := of(Memory{Cache: 1 << 20}, Reads{Get: true})
	require.Greater(t, get.Reads, 1.9, "Get does not ask filters of L6")
	require.Less(t, get.Bytes, 10_000.0, "nor read them")
	_, _, err = s.DiskReads(Filters{}, Reads{}, Memory{Cache: -1})
	require.ErrorContains(t, err, "0 bytes or more")
}

// TestDivisions checks what is chosen as memory shrinks.
func TestDivisions(t *testing.T) {
	s := Shape{Levels: []LevelShape{ // 4M keys; 10 bits for each are 5 MB
		{Level: 0, Keys: 40_000}, {Level: 5, Keys: 600_000, Tables: 4}, {Level: 6, Keys: 3_400_000, Tables: 20},
	}}
	for _, c := range []struct {
		cache, budget int64
		present       float64
		resident      bool
		index         int
	}{
		{32 << 20, 8 << 20, 0, false, 0}, // room for table filters
		{32 << 20, 8 << 20, 0.5, false, 0},
		{8 << 20, 256 << 10, 0, false, 8}, // room for index filters
		{8 << 20, 256 << 10, 0.5, false, 8},
		{2 << 20, 1 << 20, 0, true, 8}, // not for them, either
		{1 << 20, 256 << 10, 0.5, true, 8},
	} {
		reads := Reads{Present: c.present}
		list, err := s.Divisions(Budget{Bytes: c.budget, Reads: reads}, Memory{Cache: c.cache})
		require.NoError(t, err)
		require.Len(t, list, 5)
		for _, o := range list {
			require.LessOrEqual(t, list[0].price(reads), o.price(reads)/(1-betterShare)+2*betterPrice, "%v", o.Plan)
			require.LessOrEqual(t, o.Bytes, c.budget)
			if o.Memory.Resident {
				require.Equal(t, c.budget+c.cache, o.Bytes+o.Memory.Cache)
			}
		}
		require.Equal(t, c.resident, list[0].Memory.Resident, "%+v", c)
		require.Equal(t, c.index, list[0].Plan.Index, "%+v", c)
	}
	list, err := s.Divisions(Budget{Bytes: 8 << 20, Reads: Reads{Get: true}}, Memory{Cache: 2 << 20})
	require.NoError(t, err)
	require.Len(t, list, 2)
	_, err = s.Divisions(Budget{Bytes: 10}, Memory{})
	require.ErrorContains(t, err, "too small")
}
