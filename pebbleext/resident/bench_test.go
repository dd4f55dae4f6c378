package resident_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

var (
	records   = flag.Int("records", 400_000, "of the store that benchmarks look up in")
	cacheSize = flag.Int64("cache", 1<<30, "bytes of block cache in benchmarks")
)

// fourLevels builds a store with tables in L0 (two), L4, L5 and L6 that all
// span the key space, half of the keys of each also in L6.
func fourLevels(b *testing.B, opts *pebble.Options, dir string) *pebble.DB {
	opts.DisableAutomaticCompactions = true
	opts.FormatMajorVersion = pebble.FormatNewest
	opts.LBaseMaxBytes = 1
	opts.Logger = storetest.QuietLogger{}
	opts.EnsureDefaults()
	db := storetest.Open(b, dir, opts)
	rng := rand.New(rand.NewPCG(1, 2))
	n := *records
	for i, wave := range []struct{ level, keys int }{{6, n * 3 / 4}, {5, n * 3 / 16}, {4, n / 20}, {0, n / 160}, {0, n / 160}} {
		ids := rng.Perm(n)[:wave.keys]
		slices.Sort(ids)
		var paths []string
		for j, chunk := range slices.Collect(slices.Chunk(ids, 600_000)) {
			path := filepath.Join(dir, fmt.Sprintf("wave%d-%d.sst", i, j))
			writeTable(b, path, opts.MakeWriterOptions(wave.level, db.TableFormat()), chunk, rng)
			paths = append(paths, path)
		}
		require.NoError(b, db.Ingest(b.Context(), paths))
	}
	return db
}

func writeTable(b *testing.B, path string, opts sstable.WriterOptions, ids []int, rng *rand.Rand) {
	file, err := vfs.Default.Create(path, vfs.WriteCategoryUnspecified)
	require.NoError(b, err)
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(file), opts)
	value := make([]byte, 64)
	for _, id := range ids {
		for i := range value {
			value[i] = byte(rng.Uint32())
		}
		require.NoError(b, w.Set(benchKey(2*id), value))
	}
	require.NoError(b, w.Close())
}

func benchKey(id int) []byte { return fmt.Appendf(nil, "user%019d", id) }

// BenchmarkLookup times ways to look a key up in a store of four levels, side
// by side: the median of b.N turns, and its ratio to an iterator with
// UseL6Filters. The default cache holds everything.
func BenchmarkLookup(b *testing.B) {
	b.Cleanup(pointread.Force(pointread.Index))
	ways := lookups(openFourLevels(b))
	for offset, kind := range []string{"present", "absent"} {
		b.Run(kind, func(b *testing.B) { compareLookups(b, ways, offset) })
	}
}

// openFourLevels returns a store whose filters are all in memory.
func openFourLevels(b *testing.B) (*pebble.DB, *pebbleext.Reader) {
	opts := &pebble.Options{CacheSize: *cacheSize, FS: vfs.Default}
	setup := pebbleext.Apply(opts, pebbleext.Options{Plan: pebbleext.Uniform(filterpolicy.Bloom(10)), FilterMemory: int64(*records) * 2})
	db := fourLevels(b, opts, b.TempDir())
	reader, err := setup.NewReader(db)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, errors.Join(reader.Close(), db.Close())) })
	return db, reader
}

// BenchmarkGoroutines times lookups of 64 goroutines against those of one for
// each core, side by side: medians of b.N turns, in lookups a second. Half of the
// keys are absent. With -mutexprofile it tells who waits.
func BenchmarkGoroutines(b *testing.B) {
	_, reader := openFourLevels(b)
	const warmUp, perTurn, many = 10, 64 << 9, 64
	rng, times := rand.New(rand.NewPCG(5, 1)), [2][]float64{}
	for turn := range warmUp + b.N {
		keys := make([][]byte, perTurn)
		for i := range keys {
			keys[i] = benchKey(rng.IntN(2**records - 2))
		}
		for i, goroutines := range []int{runtime.GOMAXPROCS(0), many} {
			var lookups sync.WaitGroup
			began := time.Now()
			for part := range slices.Chunk(keys, perTurn/goroutines) {
				lookups.Go(func() {
					for _, key := range part {
						_ = storetest.Closed(reader.Get(key))
					}
				})
			}
			lookups.Wait()
			if turn >= warmUp {
				times[i] = append(times[i], perTurn/time.Since(began).Seconds())
			}
		}
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(times[0][b.N/2], "per-core/s")
	b.ReportMetric(times[1][b.N/2], "64/s")
	b.ReportMetric(times[1][b.N/2]/times[0][b.N/2], "ratio")
}

type lookup struct {
	name string
	look func(b *testing.B, keys [][]byte)
}

// lookups returns ways to look keys up. The first is what others are compared
// with.
func lookups(db *pebble.DB, reader *pebbleext.Reader) []lookup {
	each := func(get func(key []byte) error) func(*testing.B, [][]byte) {
		return func(b *testing.B, keys [][]byte) {
			for _, key := range keys {
				if err := get(key); err != nil && err != pebble.ErrNotFound {
					b.Fatal(err)
				}
			}
		}
	}
	many := func(r *pebbleext.Reader) func(*testing.B, [][]byte) {
		return func(b *testing.B, keys [][]byte) {
			for batch := range slices.Chunk(keys, 100) {
				if err := r.GetMany(batch, func(int, []byte) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	return []lookup{
		{"iterator", each(func(key []byte) error {
			iter, err := db.NewIter(&pebble.IterOptions{UseL6Filters: true})
			if err != nil {
				return err
			}
			iter.SeekPrefixGE(key)
			return iter.Close()
		})},
		{"Get-resident", each(func(key []byte) error { return storetest.Closed(reader.Get(key)) })},
		{"GetMany-resident", many(reader)},
	}
}

func compareLookups(b *testing.B, ways []lookup, offset int) {
	const warmUp, perTurn = 30, 500
	rng := rand.New(rand.NewPCG(3, uint64(offset)))
	times := make([][]float64, len(ways))
	for turn := range warmUp + b.N {
		keys := make([][]byte, perTurn)
		for i := range keys {
			keys[i] = benchKey(2*rng.IntN(*records-1) + offset)
		}
		for i, way := range ways {
			way.look(b, keys)
			began := time.Now()
			way.look(b, keys)
			if turn >= warmUp {
				times[i] = append(times[i], float64(time.Since(began).Nanoseconds())/perTurn)
			}
		}
	}
	for i, way := range ways {
		slices.Sort(times[i])
		slices.Sort(times[0])
		b.ReportMetric(times[i][b.N/2], way.name+"-ns")
		b.ReportMetric(times[i][b.N/2]/times[0][b.N/2], way.name+"-ratio")
	}
}
