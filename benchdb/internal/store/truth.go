package store

import (
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/zeebo/xxh3"

	"github.com/gravelkv/gravel/blockfilter"
)

// Truth knows the keys of every filter block that the policies it records have
// written. It is safe for concurrent use.
type Truth struct {
	mu     sync.RWMutex
	blocks map[uint64]*filterBlock // by fingerprint
	built  BuildCost
}

// filterBlock is what is in a filter block. A key's hash stands for the key: two of
// 10^6 keys share one with a probability below 10^-7.
type filterBlock struct {
	Level  int
	Hashes []uint64
	sorted sync.Once // when the first query comes: a load has better to do
}

func newFilterBlock(level, keys int, each iter.Seq[[]byte]) *filterBlock {
	b := &filterBlock{Level: level, Hashes: make([]uint64, 0, keys)}
	for key := range each {
		b.Hashes = append(b.Hashes, xxh3.Hash(key))
	}
	return b
}

func (b *filterBlock) contains(hash uint64) bool {
	b.sorted.Do(func() { slices.Sort(b.Hashes) })
	_, found := slices.BinarySearch(b.Hashes, hash)
	return found
}

// BuildCost is the cost of all filter blocks recorded so far.
type BuildCost struct {
	Blocks int64         `json:"blocks"`
	Keys   int64         `json:"keys"`
	Time   time.Duration `json:"ns"`
}

// PerKey is the mean time in nanoseconds, 0 without keys.
func (c BuildCost) PerKey() float64 {
	return float64(c.Time.Nanoseconds()) / float64(max(c.Keys, 1))
}

// NewTruth returns an empty Truth.
func NewTruth() *Truth { return &Truth{blocks: map[uint64]*filterBlock{}} }

// Built returns what building cost so far.
func (t *Truth) Built() BuildCost {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.built
}

// Record returns a policy for a level's tables that writes the policy's blocks
// and remembers their keys.
func (t *Truth) Record(policy pebble.FilterPolicy, level int) pebble.FilterPolicy {
	return &recorder{policy, t, level}
}

type recorder struct {
	pebble.FilterPolicy
	truth *Truth
	level int
}

func (r *recorder) NewWriter(t pebble.FilterType) pebble.FilterWriter {
	return &writer{FilterWriter: r.FilterPolicy.NewWriter(t), recorder: r}
}

// writer keeps a table's keys until Finish, which hands them all to the
// policy's writer: so the clock is read twice for a block, not for a key.
type writer struct {
	pebble.FilterWriter
	recorder *recorder
	bytes    []byte
	ends     []int
}

func (w *writer) AddKey(key []byte) {
	w.bytes = append(w.bytes, key...)
	w.ends = append(w.ends, len(w.bytes))
}

func (w *writer) Finish(dst []byte) []byte {
	begin := time.Now()
	for key := range w.keys {
		w.FilterWriter.AddKey(key)
	}
	length := len(dst)
	dst = w.FilterWriter.Finish(dst)
	elapsed := time.Since(begin)

	t := w.recorder.truth
	t.add(dst[length:], newFilterBlock(w.recorder.level, len(w.ends), w.keys))
	t.count(len(w.ends), elapsed)
	w.bytes, w.ends = w.bytes[:0], w.ends[:0]
	return dst
}

// keys is an iter.Seq.
func (w *writer) keys(yield func(key []byte) bool) {
	start := 0
	for _, end := range w.ends {
		if !yield(w.bytes[start:end]) {
			return
		}
		start = end
	}
}

func (t *Truth) count(keys int, elapsed time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.built.Blocks++
	t.built.Keys += int64(keys)
	t.built.Time += elapsed
}

// Add tells of a filter block that is there already, and of the keys in it that
// will be asked for.
func (t *Truth) Add(filter []byte, level int, asked [][]byte) {
	t.add(filter, newFilterBlock(level, len(asked), slices.Values(asked)))
}

func (t *Truth) add(filter []byte, b *filterBlock) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.blocks[fingerprint(filter)] = b
}

func (t *Truth) of(filter []byte) *filterBlock {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.blocks[fingerprint(filter)]
}

// fingerprint tells blocks apart by their size and 128 bytes from either end:
// two blocks with other keys differ in that many bits, and hashing all of a
// large block for each query would take longer than the lookup. Gravel's blocks may
// be cut in memory: what stays are the random seed and the number of keys, with
// which the last 32 bytes begin (FORMAT.md).
func fingerprint(filter []byte) uint64 {
	if _, err := blockfilter.Describe(filter); err == nil {
		return xxh3.Hash(filter[len(filter)-32:][:16])
	}
	const sample = 128
	h := xxh3.HashSeed(filter[:min(sample, len(filter))], uint64(len(filter)))
	return xxh3.HashSeed(filter[max(0, len(filter)-sample):], h)
}
