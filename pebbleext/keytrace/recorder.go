package keytrace

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Settings say how much a Recorder records. The zero value is a good choice.
type Settings struct {
	// OneIn is the number of lookups of which one is recorded, at random. 0 is
	// DefaultOneIn.
	OneIn uint32
	// MaxBytes is the largest size of the file, at which recording ends. 0 is
	// DefaultMaxBytes.
	MaxBytes int64
	// FS is the file system, vfs.Default if it is nil.
	FS vfs.FS
}

// The settings in place of 0. With 10,000 lookups a second of keys of 23 bytes,
// the file is full after 7 hours.
const (
	DefaultOneIn    = 100
	DefaultMaxBytes = 64 << 20
)

const (
	// flushEvery is how long a key waits for the file at most.
	flushEvery = time.Second
	// flushBytes of keys do not wait.
	flushBytes = maxChunk / 4
)

// Recorder writes keys to a file. It is safe for concurrent use.
type Recorder struct {
	oneIn    uint32
	maxBytes int64
	ended    atomic.Bool

	mu      sync.Mutex
	waiting []byte // keys for the next chunk
	stats   Stats

	wake, closed chan struct{} // flushBytes wait; Close was called
	close        sync.Once
	done         chan struct{} // err is final
	err          error
}

// Stats are what a Recorder has done.
type Stats struct {
	Recorded int64 // keys in the file, or there in a second
	Dropped  int64 // keys that came faster than they could be written
	Bytes    int64 // size of the file with them
}

// Create makes a file and returns a Recorder that writes to it. If there is a
// file already, it is left alone, and the error is fs.ErrExist by errors.Is.
//
// A key is in the file a second after its lookup. So a program that ends
// without Close leaves a file that can be read.
func Create(path string, s Settings) (*Recorder, error) {
	if s.MaxBytes < 0 {
		return nil, fmt.Errorf("a trace of at most %d bytes; the limit must not be negative", s.MaxBytes)
	}
	if s.FS == nil {
		s.FS = vfs.Default
	}
	if _, err := s.FS.Stat(path); err == nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	file, err := s.FS.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	r := &Recorder{
		oneIn: s.OneIn, maxBytes: s.MaxBytes, stats: Stats{Bytes: int64(len(Magic))},
		wake: make(chan struct{}, 1), closed: make(chan struct{}), done: make(chan struct{}),
	}
	if r.oneIn == 0 {
		r.oneIn = DefaultOneIn
	}
	if r.maxBytes == 0 {
		r.maxBytes = DefaultMaxBytes
	}
	go r.record(file)
	return r, nil
}

// Add records a key, if it belongs to the sample. It keeps nothing of its
// caller's.
func (r *Recorder) Add(key []byte) {
	if rand.Uint32N(r.oneIn) != 0 || r.ended.Load() || len(key) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.waiting)
	switch {
	case r.ended.Load(): // now: what waits is written
		return
	case before+binary.MaxVarintLen32+len(key) > maxChunk:
		r.stats.Dropped++
		return
	}
	with := appendKey(r.waiting, key)
	size := int64(len(with) - before)
	if before == 0 {
		size += chunkHead
	}
	if r.stats.Bytes+size > r.maxBytes {
		r.ended.Store(true)
		return
	}
	r.waiting = with
	r.stats.Recorded++
	r.stats.Bytes += size
	if before < flushBytes && len(with) >= flushBytes {
		select {
		case r.wake <- struct{}{}:
		default:
		}
	}
}

// Stats returns what has been recorded so far.
func (r *Recorder) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// Close ends the recording. It returns the error of the file that ended it
// before, if there was one. Closing twice does nothing more.
func (r *Recorder) Close() error {
	r.ended.Store(true)
	r.close.Do(func() { close(r.closed) })
	<-r.done
	return r.err
}

// record writes keys until the trace is closed or the file fails.
func (r *Recorder) record(file vfs.File) {
	defer close(r.done)
	r.err = r.write(file)
	r.ended.Store(true)
	if err := file.Close(); r.err == nil {
		r.err = err
	}
}

func (r *Recorder) write(file vfs.File) error {
	if _, err := file.Write([]byte(Magic)); err != nil {
		return err
	}
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	var keys, chunk []byte
	for closed := false; !closed; {
		select {
		case <-flush.C:
		case <-r.wake:
		case <-r.closed:
			closed = true
		}
		r.mu.Lock()
		keys, r.waiting = r.waiting, keys[:0]
		r.mu.Unlock()
		if len(keys) == 0 {
			continue
		}
		chunk = appendChunk(chunk[:0], keys)
		if _, err := file.Write(chunk); err != nil {
			return err
		}
	}
	return nil
}
