// Package diskio has the file systems beneath the stores that benchdb measures:
// one that counts reads and one that reads past the page cache.
package diskio

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// CountFS is a file system that counts the reads of .sst files below the block
// cache, by kind of block. The counts are exact and do not depend on the machine,
// its page cache or its device. It is safe for concurrent use.
//
// A store that runs on it needs a ReadaheadConfig whose speculative mode is not
// FadviseSequential. Then only compactions open tables for sequential reads, and
// their reads are counted apart.
type CountFS struct {
	vfs.FS
	options sstable.ReaderOptions

	mu     sync.Mutex
	tables map[string]*Table // by name, once they are opened
	counts Counts            // without the total
}

// NewCountFS wraps a file system. The options are those that read the store's
// tables.
func NewCountFS(fs vfs.FS, options sstable.ReaderOptions) *CountFS {
	return &CountFS{FS: fs, options: options, tables: map[string]*Table{}}
}

// Unwrap implements vfs.FS.
func (f *CountFS) Unwrap() vfs.FS { return f.FS }

// Open implements vfs.FS.
func (f *CountFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.Open(name, opts...)
	if err != nil {
		return nil, err
	}
	if filepath.Ext(name) != ".sst" {
		return file, nil
	}
	counted := &countedFile{File: file, fs: f}
	if !slices.Contains(opts, vfs.SequentialReadsOption) {
		if counted.table, err = f.table(name); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return counted, nil
}

// table learns which blocks a table has. Its own reads are not counted.
func (f *CountFS) table(name string) (t *Table, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t = f.tables[name]; t == nil {
		t, err = readTable(f.FS, name, f.options)
		f.tables[name] = t
	}
	return t, err
}

// Counts returns the reads since the last Reset.
func (f *CountFS) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.counts
	c.Total = c.Sum()
	return c
}

// Reset starts again from zero.
func (f *CountFS) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts = Counts{}
}

type countedFile struct {
	vfs.File
	fs    *CountFS
	table *Table // nil if a compaction reads
}

func (f *countedFile) ReadAt(p []byte, offset int64) (int, error) {
	f.count(offset, int64(len(p)))
	return f.File.ReadAt(p, offset)
}

func (f *countedFile) count(offset, bytes int64) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	count := &f.fs.counts.Compactions
	if f.table != nil {
		count = f.fs.counts.of(f.table.kind(offset, offset+bytes))
	}
	*count = count.Add(Count{1, bytes})
}
