package hotkeys

import (
	"bytes"
	"cmp"
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/gravelkv/gravel/pebbleext/hotkeys/countmin"
)

// Tracker finds the keys asked for most in a stream of them, in memory that
// does not depend on its length: a Count-Min sketch, and a list of the keys
// with the largest counts. A Reader fills one with absent keys: see
// pebbleext.WithAbsentKeys.
//
// Counts are never too low, and too high by more than a share ε of all counts
// together with a probability of at most ε each. The list has 1/ε keys, so, with
// that reservation, every key with a share of 2ε or more is in it. Memory is
// that of the sketch, 22 KB at ε = 0.01 and 304 KB at 0.001, and 1/ε keys, twice,
// with about 150 bytes each besides.
//
// It is safe for concurrent use, by a lock around each count.
type Tracker struct {
	mu     sync.Mutex
	sketch *countmin.Sketch
	top    topKeys
}

// Key is a key and how often it was counted, or more.
type Key struct {
	Key   []byte
	Count uint64
}

// New returns an empty Tracker with error ε = maxError, from
// [countmin.MinError] to less than 1.
func New(maxError float64) (*Tracker, error) {
	sketch, err := countmin.New(maxError, rand.Uint64())
	if err != nil {
		return nil, err
	}
	most := int(math.Ceil(1 / maxError))
	return &Tracker{sketch: sketch, top: topKeys{most: most, places: make(map[string]int, most)}}, nil
}

// Add counts a key once.
func (h *Tracker) Add(key []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sketch.Add(key, 1)
	h.top.update(key, h.sketch.Estimate(key))
}

// Top returns at most n keys, those counted most often first.
func (h *Tracker) Top(n int) []Key {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := slices.Clone(h.top.keys)
	slices.SortFunc(all, func(a, b Key) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), bytes.Compare(a.Key, b.Key))
	})
	return all[:min(max(n, 0), len(all))]
}

// Total returns how many keys were counted.
func (h *Tracker) Total() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sketch.Total()
}

// Reset forgets all keys and counts.
func (h *Tracker) Reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sketch.Reset()
	h.top.keys = nil
	clear(h.top.places)
}

// topKeys is a heap of the keys with the largest counts, the least on top.
type topKeys struct {
	most   int
	keys   []Key
	places map[string]int // of keys in the heap
}

// update sets the count of a key, which is at least what it was.
func (t *topKeys) update(key []byte, count uint64) {
	switch i, ok := t.places[string(key)]; {
	case ok:
		t.keys[i].Count = count
		heap.Fix(t, i)
	case len(t.keys) < t.most:
		heap.Push(t, Key{bytes.Clone(key), count})
	case count > t.keys[0].Count:
		delete(t.places, string(t.keys[0].Key))
		t.keys[0] = Key{bytes.Clone(key), count}
		t.places[string(key)] = 0
		heap.Fix(t, 0)
	}
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (t *topKeys) Len() int           { return len(t.keys) }
func (t *topKeys) Less(i, j int) bool { return t.keys[i].Count < t.keys[j].Count }

func (t *topKeys) Swap(i, j int) {
	t.keys[i], t.keys[j] = t.keys[j], t.keys[i]
	t.places[string(t.keys[i].Key)] = i
	t.places[string(t.keys[j].Key)] = j
}

func (t *topKeys) Push(x any) {
	key := x.(Key)
	t.places[string(key.Key)] = len(t.keys)
	t.keys = append(t.keys, key)
}

func (t *topKeys) Pop() any { panic("a key is replaced, never removed") }
