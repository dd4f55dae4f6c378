package refilter

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext/internal/manifest"
	"github.com/gravelkv/gravel/pebbleext/internal/markers"
)

// storeFS lies beneath a store that is to rewrite tables. It changes what
// Pebble reads from the MANIFEST when the store is opened, and nothing that is
// on disk; Pebble itself then makes the rewrites durable, as it does with any
// compaction.
type storeFS struct {
	vfs.FS
	marked map[uint64]bool
	loaded atomic.Bool // Pebble has read the MANIFEST, which it does once
	pace   *pace
}

func markingFS(fs vfs.FS, tables []table, p *pace) vfs.FS {
	marked := make(map[uint64]bool, len(tables))
	for _, t := range tables {
		marked[t.number] = true
	}
	return &storeFS{FS: markers.FS{FS: fs}, marked: marked, pace: p}
}

// Unwrap implements vfs.FS.
func (f *storeFS) Unwrap() vfs.FS { return f.FS }

// Open implements vfs.FS.
func (f *storeFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.Open(name, opts...)
	if err != nil || !strings.HasPrefix(f.PathBase(name), "MANIFEST-") || f.loaded.Swap(true) {
		return file, err
	}
	var copied bytes.Buffer
	err = manifest.Mark(file, &copied, f.marked)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	return vfs.NewMemFile(copied.Bytes()), nil
}

// compactionWrites is the category of the files that compactions create.
const compactionWrites = "pebble-compaction"

// Create implements vfs.FS.
func (f *storeFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := f.FS.Create(name, category)
	if err != nil || category != compactionWrites {
		return file, err
	}
	return &pacedFile{file, f.pace}, nil
}

// pacedFile is a file that a compaction writes.
type pacedFile struct {
	vfs.File
	pace *pace
}

// Write implements vfs.File.
func (f *pacedFile) Write(p []byte) (int, error) {
	f.pace.wait(len(p))
	return f.File.Write(p)
}

// pace counts the bytes that all compactions write and keeps them to a rate. A
// done context lifts the limit, so that what has begun ends soon.
type pace struct {
	ctx       context.Context
	perSecond int64 // 0 is no limit
	written   atomic.Int64

	mu   sync.Mutex
	free time.Time // when the next write may begin
}

// paceSlack is the most time that writes catch up after a pause that ended late.
const paceSlack = 100 * time.Millisecond

func (p *pace) wait(n int) {
	p.written.Add(int64(n))
	if p.perSecond == 0 || p.ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	now := time.Now()
	begin := p.free
	if earliest := now.Add(-paceSlack); begin.Before(earliest) {
		begin = earliest
	}
	p.free = begin.Add(time.Duration(float64(n) / float64(p.perSecond) * float64(time.Second)))
	p.mu.Unlock()
	select {
	case <-time.After(begin.Sub(now)):
	case <-p.ctx.Done():
	}
}
