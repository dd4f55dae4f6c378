package pebbleext_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// BenchmarkShares looks keys up of which none are absent, then all, none and half,
// 20,000 of each, by the rule and by each way alone. It reports the blocks read for
// a lookup in each part from its thousandth lookup on, and their ratio to those of
// the better of pebble.DB.Get and an iterator with all table filters.
func BenchmarkShares(b *testing.B) {
	shares := []float64{0, 1, 0, 0.5}
	counts := map[int]int{6: 160_000, 5: 30_000, 4: 8_000, 3: 2_000}
	s := newBenchStore(b, pebbleext.Uniform(filterpolicy.Bloom(10)), counts, 0.1)
	run := func(r *pebbleext.Reader) (reads []float64) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, share := range shares {
			var begin int64
			for i := range 20_000 {
				if i == 1000 {
					begin = s.db.Metrics().BlockCache.Misses
				}
				keys := s.lookups["present"]
				if rng.Float64() < share {
					keys = s.lookups["absent"]
				}
				_ = storetest.Closed(r.Get(keys[rng.IntN(len(keys))]))
			}
			reads = append(reads, float64(s.db.Metrics().BlockCache.Misses-begin)/19_000)
		}
		return reads
	}
	forced := func(way pointread.Way) []float64 {
		defer pointread.Force(way)()
		return run(pebbleext.ReaderOf(s.db, nil, pebbleext.Options{}))
	}
	for b.Loop() {
		rule := run(pebbleext.ReaderOf(s.db, nil, pebbleext.Options{}))
		get, tables := forced(pointread.Get), forced(pointread.Tables)
		for i, part := range []string{"none", "all", "none-again", "half"} {
			b.ReportMetric(rule[i], part+"-reads")
			b.ReportMetric(rule[i]/min(get[i], tables[i]), part+"-ratio")
		}
	}
}

var (
	openedKeys    = flag.Int("opened-keys", 300_000, "keys of the stores of BenchmarkOpened; memory is in proportion")
	openedSeconds = flag.Int("opened-seconds", 3, "seconds of lookups in BenchmarkOpened before any is counted")
	openedShare   = flag.Float64("opened-share", 0, "fixed share of the memory in BenchmarkOpened that filters have, below 0 none")
)

// BenchmarkOpened opens a store with nothing set but the cache's size, for 3M keys
// of 16 bytes with values of 100, and looks keys up, a share of which are absent,
// others in each opening. It reports the reads of table files for a lookup, of
// 60,000 that follow 20,000 and some seconds: the mean of b.N openings and the
// most of one. With -opened-share memory is divided by hand. Get and UseL6Filters
// are those of pebble.DB.Get and of an iterator that look the same keys up, with
// as much memory, in a store of Pebble's Bloom filters. An opening has over reads
// more than 1.03 times the better of these, at most.
//
//	go test -run '^$' -bench Opened -benchtime 24x -opened-keys 3000000
func BenchmarkOpened(b *testing.B) {
	stores := map[string]string{}
	for name, policy := range map[string]pebble.FilterPolicy{"pebble": bloom.FilterPolicy(10), "default": nil} {
		stores[name] = b.TempDir()
		fillProgram(b, stores[name], policy)
	}
	for _, run := range []struct {
		store  string
		memory float64 // MiB for 3M keys
	}{{"pebble", 8}, {"default", 8}, {"default", 6}, {"default", 3}, {"default", 1.5}} {
		for _, absent := range []float64{0, 0.1, 0.5, 1} {
			b.Run(fmt.Sprintf("%s/%vMiB/absent=%v", run.store, run.memory, absent), func(b *testing.B) {
				var reads, most, get, tables, over float64
				over = -1
				p := program{b: b, absent: absent, cache: int64(run.memory * (1 << 20) * float64(*openedKeys) / 3e6)}
				for b.Loop() {
					p.seed++
					opened := p.opened(stores[run.store])
					byGet := p.pebble(stores["pebble"], func(db *pebble.DB) lookUp { return eachKey(db.Get) })
					byTables := p.pebble(stores["pebble"], byIterators)
					reads, get, tables = reads+opened, get+byGet, tables+byTables
					most, over = max(most, opened), max(over, opened-1.03*min(byGet, byTables))
				}
				b.ReportMetric(0, "ns/op")
				for unit, sum := range map[string]float64{"reads": reads, "Get": get, "UseL6Filters": tables} {
					b.ReportMetric(sum/float64(b.N), unit)
				}
				b.ReportMetric(most, "most")
				b.ReportMetric(over, "over")
			})
		}
	}
}

// BenchmarkTwoStores looks absent keys up in a store of BenchmarkOpened and others
// in a second one, in turn, with one cache of 8 MiB for both. With -opened-share the
// filters of the first have that share of the memory, and those of the second none.
func BenchmarkTwoStores(b *testing.B) {
	total := 8 * (1 << 20) * float64(*openedKeys) / 3e6
	fixed := int64(*openedShare * total)
	cache := pebble.NewCache(int64(total) - max(fixed, 0))
	defer cache.Unref()
	stores := []struct {
		name    string
		program program
		filters int64
		db      *pebbleext.DB
		fs      *storetest.CountingFS
		before  int64
	}{
		{name: "absent", program: program{b: b, absent: 1}, filters: fixed},
		{name: "present", program: program{b: b}, filters: min(-fixed, fixed)}, // 0 or none
	}
	for i := range stores {
		s := &stores[i]
		dir := b.TempDir()
		fillProgram(b, dir, nil)
		s.db, s.fs = s.program.open(dir, s.filters, func(opts *pebble.Options) { opts.Cache = cache })
		defer func() { require.NoError(b, s.db.Close()) }()
	}
	rng := rand.New(rand.NewPCG(1, 1))
	lookUp := func(n int) {
		for range n / 100 {
			for _, s := range stores {
				require.NoError(b, eachKey(s.db.Get)(s.program.keys(rng, 100)))
			}
		}
	}
	for begun := time.Now(); time.Since(begun) < openedTime(); {
		lookUp(1000)
	}
	for b.Loop() {
		const counted = 60_000
		for i := range stores {
			stores[i].before = stores[i].fs.Reads.Load()
		}
		lookUp(counted)
		for _, s := range stores {
			b.ReportMetric(float64(s.fs.Reads.Load()-s.before)/counted, s.name)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// fillProgram writes a store of Pebble's filters, or of the default plan if there
// is no policy, in random order.
func fillProgram(b *testing.B, dir string, policy pebble.FilterPolicy) {
	opts := programOptions(vfs.Default, policy)
	var db *pebble.DB
	if policy != nil {
		db = storetest.Open(b, dir, opts)
	} else {
		opened, err := pebbleext.Open(dir, opts, pebbleext.Options{})
		require.NoError(b, err)
		defer func() { require.NoError(b, opened.Reader.Close()) }()
		db = opened.DB
	}
	value, random := make([]byte, 100), rand.NewChaCha8([32]byte{})
	for _, id := range rand.New(rand.NewPCG(1, 2)).Perm(*openedKeys) {
		_, _ = random.Read(value)
		require.NoError(b, db.Set(benchKey(2*id), value, pebble.NoSync))
	}
	require.NoError(b, db.Flush())
	for db.Metrics().Compact.NumInProgress > 0 {
		time.Sleep(time.Millisecond)
	}
	require.NoError(b, db.Close())
}

func programOptions(fs vfs.FS, policy pebble.FilterPolicy) *pebble.Options {
	opts := &pebble.Options{FS: fs, FormatMajorVersion: pebble.FormatNewest, Logger: storetest.QuietLogger{}}
	opts.Levels[0].FilterPolicy = policy // and of those below
	return opts
}

// program looks keys up.
type program struct {
	b      *testing.B
	cache  int64
	absent float64
	seed   uint64
}

// opened returns the reads of a store that pebbleext.Open opens.
func (p program) opened(dir string) float64 {
	filters := int64(*openedShare * float64(p.cache))
	db, fs := p.open(dir, filters, func(opts *pebble.Options) { opts.CacheSize = p.cache - max(filters, 0) })
	defer func() { require.NoError(p.b, db.Close()) }()
	return p.reads(fs, eachKey(db.Get), openedTime())
}

func openedTime() time.Duration { return time.Duration(*openedSeconds) * time.Second }

func (p program) open(dir string, filters int64, set func(*pebble.Options)) (*pebbleext.DB, *storetest.CountingFS) {
	fs := &storetest.CountingFS{FS: vfs.Default, Suffix: ".sst"}
	opts := programOptions(fs, nil)
	opts.DisableAutomaticCompactions = true
	set(opts)
	db, err := pebbleext.Open(dir, opts, pebbleext.Options{FilterMemory: filters})
	require.NoError(p.b, err)
	return db, fs
}

// pebble returns the reads of a store of Pebble's own.
func (p program) pebble(dir string, look func(*pebble.DB) lookUp) float64 {
	fs := &storetest.CountingFS{FS: vfs.Default, Suffix: ".sst"}
	opts := programOptions(fs, bloom.FilterPolicy(10))
	opts.CacheSize, opts.DisableAutomaticCompactions = p.cache, true
	db := storetest.Open(p.b, dir, opts)
	defer func() { require.NoError(p.b, db.Close()) }()
	return p.reads(fs, look(db), 0)
}

func (p program) reads(fs *storetest.CountingFS, look lookUp, warm time.Duration) float64 {
	rng, begun := rand.New(rand.NewPCG(p.seed, 1)), time.Now()
	for n := 0; n < 20_000 || time.Since(begun) < warm; n += 1000 {
		require.NoError(p.b, look(p.keys(rng, 1000)))
	}
	const counted = 60_000
	keys := p.keys(rand.New(rand.NewPCG(p.seed, 2)), counted)
	before := fs.Reads.Load()
	require.NoError(p.b, look(keys))
	return float64(fs.Reads.Load()-before) / counted
}

func (p program) keys(rng *rand.Rand, n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		id := 2 * rng.IntN(*openedKeys)
		if rng.Float64() < p.absent {
			id++
		}
		keys[i] = benchKey(id)
	}
	return keys
}
