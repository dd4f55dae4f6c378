package resident_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
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

func BenchmarkLookup(b *testing.B) {
	for _, policy := range []*filterpolicy.Policy{filterpolicy.Bloom(10)} {
		f := newFilters(b, int64(*records)*2)
		opts := &pebble.Options{CacheSize: *cacheSize}
		counting := &storetest.CountingFS{FS: vfs.Default}
		opts.FS = counting
		pebbleext.Apply(opts, pebbleext.Uniform(policy))
		f.Apply(opts)
		db := fourLevels(b, opts, b.TempDir())
		require.NoError(b, f.Start(db, opts))
		rng := rand.New(rand.NewPCG(3, 4))
		ways := map[string]func(key []byte){
			"resident": func(key []byte) {
				q := f.Query(key)
				iter, _ := db.NewIter(&pebble.IterOptions{PointKeyFilters: q.PointKeyFilters()})
				iter.SeekPrefixGE(key)
				if err := iter.Close(); err != nil {
					b.Fatal(err)
				}
				q.Done()
			},
			"UseL6Filters": func(key []byte) {
				iter, _ := db.NewIter(&pebble.IterOptions{UseL6Filters: true})
				iter.SeekPrefixGE(key)
				if err := iter.Close(); err != nil {
					b.Fatal(err)
				}
			},
			"reused": nil,
			"Get": func(key []byte) {
				if v, closer, err := db.Get(key); err == nil {
					_ = v
					closer.Close()
				}
			},
		}
		iter, err := db.NewIter(&pebble.IterOptions{UseL6Filters: true})
		require.NoError(b, err)
		ways["reused"] = func(key []byte) { iter.SeekPrefixGE(key) }
		for _, odd := range []int{1, 0} {
			kind := "present"
			if odd == 1 {
				kind = "absent"
			}
			times := map[string][]float64{}
			for turn := range 40 {
				for way, look := range ways {
					keys := make([][]byte, 500)
					for i := range keys {
						keys[i] = benchKey(2*rng.IntN(*records-1) + odd)
					}
					for _, k := range keys[:250] {
						look(k)
					}
					began := time.Now()
					for _, k := range keys[250:] {
						look(k)
					}
					if turn > 10 {
						times[way] = append(times[way], float64(time.Since(began).Nanoseconds())/250)
					}
				}
			}
			for way, t := range times {
				slices.Sort(t)
				var allocs float64
				allocs = testing.AllocsPerRun(100, func() { ways[way](benchKey(2*rng.IntN(*records-1) + odd)) })
				b.Logf("%s %s: median %.0f ns, least %.0f, allocs %.1f", kind, way, t[len(t)/2], t[0], allocs-1)
			}
		}
		b.Logf("%+v", f.Stats())
		require.NoError(b, iter.Close())
		require.NoError(b, f.Close())
		require.NoError(b, db.Close())
	}
}
