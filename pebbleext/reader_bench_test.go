package pebbleext_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// BenchmarkReader times each way to look keys up against pebble.DB.Get of a
// store with the same tables and Pebble's own filters: ns/op is the median of
// b.N turns, Get-ns that of pebble.DB.Get, and ratio the one by the other. The
// block cache holds a tenth of the data, files come from the page cache.
func BenchmarkReader(b *testing.B) {
	shapes := []struct {
		name   string
		counts map[int]int
	}{
		{"L6", map[int]int{6: 200_000}},
		{"L3-L6", map[int]int{6: 160_000, 5: 30_000, 4: 8_000, 3: 2_000}},
	}
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			own := newBenchStore(b, pebbleext.Uniform(bloom.FilterPolicy(10)), shape.counts, 0.1)
			gravel := newBenchStore(b, pebbleext.Uniform(filterpolicy.Bloom(10)), shape.counts, 0.1)
			looks := ways(gravel.db)
			for _, keys := range slices.Sorted(maps.Keys(own.lookups)) {
				for _, way := range slices.Sorted(maps.Keys(looks)) {
					b.Run(keys+"/"+way, func(b *testing.B) {
						compareLookups(b, own.lookups[keys], eachKey(own.db.Get), looks[way])
					})
				}
			}
		})
	}
}

// BenchmarkIndexFilters times lookups by index filters against those by
// iterators with table filters of all levels, all in the block cache.
func BenchmarkIndexFilters(b *testing.B) {
	counts := map[int]int{6: 160_000, 5: 30_000, 4: 8_000, 3: 2_000}
	own := newBenchStore(b, pebbleext.Uniform(bloom.FilterPolicy(10)), counts, 2)
	index := newBenchStore(b, pebbleext.Plan{Index: 8}, counts, 2)
	b.Cleanup(pointread.Force(pointread.Index))
	r := pebbleext.ReaderOf(index.db, nil, pebbleext.Options{})
	for _, keys := range slices.Sorted(maps.Keys(own.lookups)) {
		b.Run(keys, func(b *testing.B) {
			compareLookups(b, own.lookups[keys], byIterators(own.db), eachKey(r.Get))
		})
	}
}

// BenchmarkScans times scans of 1,000 and of all keys of a store with range
// filters, by a BoundedIter and by an iterator that asks none, against those of a
// store without, all in the block cache.
func BenchmarkScans(b *testing.B) {
	counts := map[int]int{6: 160_000, 5: 30_000, 4: 8_000, 3: 2_000}
	own := newBenchStore(b, pebbleext.Plan{}, counts, 2)
	filtered := newBenchStore(b, pebbleext.Plan{Range: 7}, counts, 2)
	r := pebbleext.ReaderOf(filtered.db, nil, pebbleext.Options{})
	bounded := func(options *pebble.IterOptions) (*pebble.Iterator, error) {
		iter, err := r.NewBoundedIter(options)
		if err != nil {
			return nil, err
		}
		return iter.Iterator, nil
	}
	for _, ids := range []int{1000, 200_000} {
		for name, newIter := range map[string]newIterator{"bounded": bounded, "plain": filtered.db.NewIter} {
			b.Run(fmt.Sprint(ids, "/", name), func(b *testing.B) {
				compareLookups(b, own.lookups["absent"], scanFrom(own.db.NewIter, ids), scanFrom(newIter, ids))
			})
		}
	}
}

type (
	lookUp      func(keys [][]byte) error
	newIterator func(*pebble.IterOptions) (*pebble.Iterator, error)
)

// scanFrom scans the keys of so many numbers from that of the first one on, or
// all.
func scanFrom(newIter newIterator, ids int) lookUp {
	return func(keys [][]byte) error {
		first := (binary.BigEndian.Uint64(keys[0][len("benchkey"):]) / 2) % uint64(200_001-ids)
		iter, err := newIter(&pebble.IterOptions{LowerBound: benchKey(2 * int(first)), UpperBound: benchKey(2 * (int(first) + ids))})
		if err != nil {
			return err
		}
		for iter.First(); iter.Valid(); iter.Next() {
		}
		return iter.Close()
	}
}

func ways(db *pebble.DB) map[string]lookUp {
	const batchSize = 100
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
	return map[string]lookUp{
		"Get":      eachKey(r.Get),
		"iterator": byIterators(db),
		"Has": func(keys [][]byte) error {
			for _, key := range keys {
				if _, err := r.Has(key); err != nil {
					return err
				}
			}
			return nil
		},
		"GetMany": func(keys [][]byte) error {
			for batch := range slices.Chunk(keys, batchSize) {
				if err := r.GetMany(batch, func(int, []byte) error { return nil }); err != nil {
					return err
				}
			}
			return nil
		},
		"unsorted": func(keys [][]byte) error {
			for batch := range slices.Chunk(keys, batchSize) {
				iter, err := db.NewIter(&allFilters)
				if err != nil {
					return err
				}
				for _, key := range batch {
					iter.SeekPrefixGE(key)
				}
				if err := iter.Close(); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

var allFilters = pebble.IterOptions{UseL6Filters: true}

// byIterators looks up each key by an iterator of its own, with the table
// filters of all levels.
func byIterators(db *pebble.DB) lookUp {
	return func(keys [][]byte) error {
		for _, key := range keys {
			iter, err := db.NewIter(&allFilters)
			if err != nil {
				return err
			}
			iter.SeekPrefixGE(key)
			if err := iter.Close(); err != nil {
				return err
			}
		}
		return nil
	}
}

func eachKey(get func([]byte) ([]byte, io.Closer, error)) lookUp {
	return func(keys [][]byte) error {
		for _, key := range keys {
			if err := storetest.Closed(get(key)); err != nil && err != pebble.ErrNotFound {
				return err
			}
		}
		return nil
	}
}

// compareLookups lets two ways look the keys up in turns. The first half of a
// turn is not timed: it brings the store back to the processor's caches.
func compareLookups(b *testing.B, keys [][]byte, own, gravel lookUp) {
	const warmUp, perTurn = 40, 500
	times := [2][]float64{}
	b.ResetTimer()
	for turn := range warmUp + b.N {
		at := turn * perTurn % (len(keys) - perTurn)
		for i, look := range []lookUp{own, gravel} {
			require.NoError(b, look(keys[at:at+perTurn/2]))
			start := time.Now()
			require.NoError(b, look(keys[at+perTurn/2:at+perTurn]))
			if turn >= warmUp {
				times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/(perTurn/2))
			}
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	ownMedian, median := times[0][b.N/2], times[1][b.N/2]
	b.ReportMetric(median, "ns/op")
	b.ReportMetric(ownMedian, "Get-ns")
	b.ReportMetric(median/ownMedian, "ratio")
}

// benchStore is a store of a fixed shape: tables ingested bottom up, each level
// over the whole key space, so that each lands above the one before.
type benchStore struct {
	db      *pebble.DB
	lookups map[string][][]byte
}

// newBenchStore builds a store with counts[level] records of 16 and 100 bytes,
// and a block cache for a share of them.
// Half of the keys above L6 are in L6 too, with older values.
func newBenchStore(b *testing.B, plan pebbleext.Plan, counts map[int]int, cached float64) benchStore {
	const recordSize, recordsPerTable = 116, 17_000
	opts := &pebble.Options{
		DisableAutomaticCompactions: true,
		FormatMajorVersion:          pebble.FormatNewest,
		LBaseMaxBytes:               1,
		Logger:                      storetest.QuietLogger{},
	}
	storetest.Apply(opts, plan)
	total := 0
	for _, n := range counts {
		total += n
	}
	opts.CacheSize = int64(cached * float64(total*recordSize))
	opts.EnsureDefaults()
	dir := b.TempDir()
	db := storetest.Open(b, dir, opts)
	b.Cleanup(func() { require.NoError(b, db.Close()) })

	rng := rand.New(rand.NewPCG(1, 2))
	s := benchStore{db, map[string][][]byte{}}
	fresh := rng.Perm(total)
	deepest := fresh[:counts[6]]
	for _, level := range []int{6, 5, 4, 3} {
		n := counts[level]
		ids := slices.Clone(fresh[:n])
		fresh = fresh[n:]
		if level < 6 {
			rewritten := ids[n/2:]
			copy(rewritten, deepest)
			deepest = deepest[len(rewritten):]
			for _, id := range rewritten {
				s.lookups["rewritten"] = append(s.lookups["rewritten"], benchKey(2*id))
			}
			ids = append(ids[:n/2:n/2], rewritten...)
			for _, id := range ids[:n/2] {
				s.lookups["present"] = append(s.lookups["present"], benchKey(2*id))
			}
		}
		slices.Sort(ids)
		var paths []string
		for i, chunk := range slices.Collect(slices.Chunk(ids, recordsPerTable)) {
			path := filepath.Join(dir, fmt.Sprintf("L%d-%d.sst", level, i))
			writeBenchTable(b, path, opts.MakeWriterOptions(level, db.TableFormat()), chunk, rng)
			paths = append(paths, path)
		}
		if len(paths) > 0 {
			require.NoError(b, db.Ingest(b.Context(), paths))
			require.EqualValues(b, len(paths), db.Metrics().Levels[level].TablesCount)
		}
	}
	for _, id := range deepest {
		s.lookups["present"] = append(s.lookups["present"], benchKey(2*id))
	}
	for range 100_000 {
		s.lookups["absent"] = append(s.lookups["absent"], benchKey(2*rng.IntN(total-1)+1))
	}
	for _, keys := range s.lookups {
		rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	}
	return s
}

func writeBenchTable(b *testing.B, path string, opts sstable.WriterOptions, ids []int, rng *rand.Rand) {
	file, err := vfs.Default.Create(path, vfs.WriteCategoryUnspecified)
	require.NoError(b, err)
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(file), opts)
	value := make([]byte, 100)
	for _, id := range ids {
		for i := range value {
			value[i] = byte(rng.Uint32())
		}
		require.NoError(b, w.Set(benchKey(2*id), value))
	}
	require.NoError(b, w.Close())
}

func benchKey(id int) []byte {
	return binary.BigEndian.AppendUint64([]byte("benchkey"), uint64(id))
}
