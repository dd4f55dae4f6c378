// Package diskio has the file systems beneath the stores that benchdb measures:
// one that counts reads and one that reads past the page cache.
package diskio

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
)

// CountFS is a file system that counts the reads of .sst files below the block
// cache, by level and kind of block. The counts are exact and do not depend on the
// machine, its page cache or its device. It is safe for concurrent use.
//
// A store that runs on it needs its EventListener, and a ReadaheadConfig whose
// speculative mode is not FadviseSequential. Then only compactions open tables for
// sequential reads, and their reads are counted apart.
type CountFS struct {
	vfs.FS
	options sstable.ReaderOptions

	mu          sync.Mutex
	files       map[uint64]*tableFile
	compactions Count
}

// tableFile is a table, and what was read of it but by compactions.
type tableFile struct {
	level int
	table *Table // nil until it is opened
	reads Blocks
}

// NewCountFS wraps a file system. The options are those that read the store's
// tables.
func NewCountFS(fs vfs.FS, options sstable.ReaderOptions) *CountFS {
	return &CountFS{FS: fs, options: options, files: map[uint64]*tableFile{}}
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
	counted := &countedFile{File: file, fs: f}
	if !slices.Contains(opts, vfs.SequentialReadsOption) {
		if counted.of, err = f.open(number, name); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return counted, nil
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

// open learns which blocks a table has. Its own reads are not counted.
func (f *CountFS) open(number uint64, name string) (file *tableFile, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file = f.file(number)
	if file.table == nil {
		file.table, err = readTable(f.FS, name, f.options)
	}
	return file, err
}

// file returns a table. The caller holds the lock.
func (f *CountFS) file(number uint64) *tableFile {
	if f.files[number] == nil {
		f.files[number] = &tableFile{}
	}
	return f.files[number]
}

// place notes the level of a table.
func (f *CountFS) place(number uint64, level int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.file(number).level = level
}

// Place learns the levels of a store's tables.
func (f *CountFS) Place(db *pebble.DB) error {
	levels, err := db.SSTables()
	for level, tables := range levels {
		for _, t := range tables {
			f.place(uint64(t.BackingSSTNum), level)
		}
	}
	return err
}

// EventListener returns a listener that learns the levels of tables which
// flushes and compactions write.
func (f *CountFS) EventListener() *pebble.EventListener {
	place := func(tables []pebble.TableInfo, level int) {
		for _, t := range tables {
			f.place(uint64(t.FileNum), level)
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
	f.mu.Lock()
	defer f.mu.Unlock()
	var levels [pebbleext.NumLevels]Blocks
	for _, file := range f.files {
		level := &levels[file.level]
		*level = level.add(file.reads)
	}
	c := Counts{ByLevel: []LevelCounts{}, Compactions: f.compactions}
	for level, blocks := range levels {
		if blocks != (Blocks{}) {
			c.Blocks = c.Blocks.add(blocks)
			c.ByLevel = append(c.ByLevel, LevelCounts{level, blocks})
		}
	}
	c.Total = c.Blocks.Sum()
	return c
}

// Reset starts again from zero.
func (f *CountFS) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.compactions = Count{}
	for _, file := range f.files {
		file.reads = Blocks{}
	}
}

type countedFile struct {
	vfs.File
	fs *CountFS
	of *tableFile // nil if a compaction reads
}

func (f *countedFile) ReadAt(p []byte, offset int64) (int, error) {
	f.count(offset, int64(len(p)))
	return f.File.ReadAt(p, offset)
}

func (f *countedFile) count(offset, bytes int64) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	count := &f.fs.compactions
	if f.of != nil {
		count = f.of.reads.of(f.of.table.kind(offset, offset+bytes))
	}
	*count = count.Add(Count{1, bytes})
}
