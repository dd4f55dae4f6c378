// Package diskio has the file systems beneath the stores that benchdb measures:
// one that counts reads and one that reads past the page cache.
package diskio

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// CountFS is a file system that counts the reads of .sst files below the block
// cache, by level and kind of block. The counts are exact and do not depend on the
// machine, its page cache or its device. It is safe for
// concurrent use. A store that runs on it needs its EventListener, and a
// ReadaheadConfig whose speculative mode is not FadviseSequential: a table that
// is opened for sequential reads is then one that a compaction reads.
type CountFS struct {
	vfs.FS
	options     sstable.ReaderOptions
	compactions counter

	mu     sync.Mutex
	tables map[uint64]*table
}

// NewCountFS wraps a file system. The options are those that read the store's tables.
func NewCountFS(fs vfs.FS, options sstable.ReaderOptions) *CountFS {
	return &CountFS{FS: fs, options: options, tables: map[uint64]*table{}}
}

// Unwrap implements vfs.FS.
func (f *CountFS) Unwrap() vfs.FS { return f.FS }

// Open implements vfs.FS.
func (f *CountFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.Open(name, opts...)
	if err != nil {
		return nil, err
	}
	number, ok := tableNumber(name)
	if !ok {
		return file, nil
	}
	if slices.Contains(opts, vfs.SequentialReadsOption) {
		return &compactionFile{file, &f.compactions}, nil
	}
	t := f.table(number)
	if err := t.locate(f.FS, name, f.options); err != nil {
		_ = file.Close()
		return nil, err
	}
	return &countedFile{file, t}, nil
}

// tableNumber returns the file number of a table's path.
func tableNumber(name string) (uint64, bool) {
	digits, ok := strings.CutSuffix(filepath.Base(name), ".sst")
	if !ok {
		return 0, false
	}
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, err == nil
}

func (f *CountFS) table(number uint64) *table {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, ok := f.tables[number]
	if !ok {
		t = &table{}
		f.tables[number] = t
	}
	return t
}

// Place learns the levels of a store's tables.
func (f *CountFS) Place(db *pebble.DB) error {
	levels, err := db.SSTables()
	if err != nil {
		return err
	}
	for level, tables := range levels {
		for _, t := range tables {
			f.table(uint64(t.BackingSSTNum)).level.Store(int32(level))
		}
	}
	return nil
}

// EventListener returns a listener that learns the levels of tables which
// flushes and compactions write.
func (f *CountFS) EventListener() *pebble.EventListener {
	place := func(tables []pebble.TableInfo, level int) {
		for _, t := range tables {
			f.table(uint64(t.FileNum)).level.Store(int32(level))
		}
	}
	return &pebble.EventListener{
		FlushEnd:      func(info pebble.FlushInfo) { place(info.Output, 0) },
		CompactionEnd: func(info pebble.CompactionInfo) { place(info.Output.Tables, info.Output.Level) },
	}
}

// Counts returns the reads since the last Reset. A table that moved counts at its
// last level.
func (f *CountFS) Counts() Counts {
	var levels [Levels]Blocks
	for _, t := range f.known() {
		level := &levels[t.level.Load()]
		*level = level.add(t.blocks())
	}
	c := Counts{ByLevel: []LevelCounts{}, Compactions: f.compactions.load()}
	for level, blocks := range levels {
		if blocks != (Blocks{}) {
			c.Blocks = c.Blocks.add(blocks)
			c.ByLevel = append(c.ByLevel, LevelCounts{level, blocks})
		}
	}
	c.Total = c.Blocks.sum()
	return c
}

// Reset starts again from zero. A read that goes on meanwhile may count or not.
func (f *CountFS) Reset() {
	f.compactions.reset()
	for _, t := range f.known() {
		for kind := range t.counts {
			t.counts[kind].reset()
		}
	}
}

func (f *CountFS) known() []*table {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.tables))
}

type counter struct{ reads, bytes atomic.Int64 }

func (c *counter) add(bytes int) {
	c.reads.Add(1)
	c.bytes.Add(int64(bytes))
}

func (c *counter) load() Count { return Count{c.reads.Load(), c.bytes.Load()} }

func (c *counter) reset() {
	c.reads.Store(0)
	c.bytes.Store(0)
}

type compactionFile struct {
	vfs.File
	counter *counter
}

func (f *compactionFile) ReadAt(p []byte, offset int64) (int, error) {
	f.counter.add(len(p))
	return f.File.ReadAt(p, offset)
}

type countedFile struct {
	vfs.File
	table *table
}

func (f *countedFile) ReadAt(p []byte, offset int64) (int, error) {
	f.table.counts[f.table.kind(uint64(offset))].add(len(p))
	return f.File.ReadAt(p, offset)
}
