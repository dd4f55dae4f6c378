package store

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
)

// MinRecords is enough for every wave to span the key space.
const MinRecords = 1000

// wave is the records of one level, a range of numbers.
type wave struct {
	level       int
	first, last uint64 // last is not in it
}

// waves is the shape of a store: levels that grow about fourfold, as Pebble's
// compactions leave them, the newest records on top. A second sublevel of L0
// would make a compaction due.
func waves(records int) []wave {
	permill := func(n uint64) uint64 { return uint64(records) * n / 1000 }
	return []wave{
		{6, 0, permill(800)},
		{5, permill(800), permill(950)},
		{4, permill(950), permill(990)},
		{0, permill(990), permill(1000)},
	}
}

// Build makes a store of a fixed shape in an empty directory: the same tables
// and keys on every level whatever the policy, which only adds filter blocks.
// It ingests the waves from the bottom up. Each spans the key space, so Pebble
// puts it one level above the one before. Progress is called with numbers of
// records.
func Build(ctx context.Context, dir string, p policy.Policy, s Settings, progress func(records int)) (*Store, error) {
	st := newStore(dir, p, s)
	opts := st.loadOptions()
	opts.DisableAutomaticCompactions = true
	return st, st.load(opts, func(db *pebble.DB) error {
		for _, w := range waves(s.Records) {
			if err := st.ingest(ctx, db, opts, w, progress); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) ingest(ctx context.Context, db *pebble.DB, opts *pebble.Options, w wave, progress func(int)) error {
	before := db.Metrics().Levels[w.level].TablesCount
	paths, err := s.writeTables(ctx, opts, db.TableFormat(), w, progress)
	if err != nil {
		return err
	}
	if err := db.Ingest(ctx, paths); err != nil {
		return err
	}
	if landed := db.Metrics().Levels[w.level].TablesCount - before; landed != int64(len(paths)) {
		return fmt.Errorf("%d of %d tables landed in L%d", landed, len(paths), w.level)
	}
	return nil
}

type record struct {
	key    []byte
	number uint64
}

// writeTables writes a wave's records as tables of the size that Pebble's
// compactions would give them.
func (s *Store) writeTables(ctx context.Context, opts *pebble.Options, format sstable.TableFormat, w wave, progress func(int)) (paths []string, err error) {
	records := s.sorted(w)
	target := opts.TargetFileSizes[max(0, w.level-baseLevel+1)]
	perTable := max(int(target)/s.settings.recordSize(), 1)
	for table := range slices.Chunk(records, perTable) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		path := filepath.Join(s.Dir, fmt.Sprintf("wave-%d-%d.tmp", w.first, len(paths)))
		if err := s.writeTable(path, opts.MakeWriterOptions(w.level, format), table); err != nil {
			return nil, err
		}
		paths = append(paths, path)
		progress(len(table))
	}
	return paths, nil
}

// baseLevel is the uppermost level below L0 in waves.
const baseLevel = 4

func (s *Store) writeTable(path string, opts sstable.WriterOptions, records []record) error {
	file, err := vfs.Default.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(file), opts)
	for _, r := range records {
		if err := w.Set(r.key, s.settings.Values.Of(r.number)); err != nil {
			_ = w.Close()
			return err
		}
	}
	return w.Close()
}

func (s *Store) sorted(w wave) []record {
	records := make([]record, 0, w.last-w.first)
	for n := w.first; n < w.last; n++ {
		records = append(records, record{s.settings.Keys.Append(nil, n), n})
	}
	slices.SortFunc(records, func(a, b record) int { return bytes.Compare(a.key, b.key) })
	return records
}
