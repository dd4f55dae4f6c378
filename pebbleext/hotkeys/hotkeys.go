// Package hotkeys finds the keys that are asked for most in a stream of
// lookups, in memory that depends neither on the number of lookups nor on the
// keys:
//
//	hot, err := hotkeys.New(0.001)
//	…
//	db, err := pebbleext.Open(dir, opts, pebbleext.Options{Absent: hot.Add})
//	…
//	for _, k := range hot.Top(10) {
//		fmt.Printf("%q: %d to %d times\n", k.Key, k.Count-k.Error, k.Count)
//	}
package hotkeys

import (
	"bytes"
	"cmp"
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/gravelkv/gravel/pebbleext/hotkeys/countmin"
)

// MaxKeyBytes is how many bytes of a key a Tracker keeps. Keys come from
// clients, who may choose long ones.
const MaxKeyBytes = 256

// Tracker counts keys by a Count-Min sketch, and lists the keys with the
// largest counts.
//
// Counts are never too low, and too high by more than a share ε of all counts
// together with a probability of at most ε each. The list has 1/ε keys, so,
// with that reservation, every key with a share of 2ε or more is in it. Memory
// is that of the sketch, 22 KB at ε = 0.01 and 304 KB at 0.001, and for each of
// the 1/ε keys its first MaxKeyBytes bytes and about 150 more.
//
// It is safe for concurrent use, by a lock around each count.
type Tracker struct {
	seed uint64

	mu     sync.Mutex
	sketch *countmin.Sketch
	top    topKeys
}

// Key is a key and how often it was counted.
type Key struct {
	Key    []byte // at most its first MaxKeyBytes bytes
	Length int    // of the whole key, in bytes
	// The key was counted at most Count times, and at least Count - Error
	// times. A key that is not hot may have a large Count by chance. Its Error
	// is then nearly as large.
	Count, Error uint64
}

// New returns an empty Tracker with error ε = maxError, from
// [countmin.MinError] to less than 1.
func New(maxError float64) (*Tracker, error) {
	sketch, err := countmin.New(maxError, rand.Uint64())
	if err != nil {
		return nil, err
	}
	most := int(math.Ceil(1 / maxError))
	return &Tracker{
		seed:   rand.Uint64(),
		sketch: sketch,
		top:    topKeys{most: most, places: make(map[id]int, most)},
	}, nil
}

// Add counts a key once, and keeps nothing of its caller's.
func (t *Tracker) Add(key []byte) {
	id := id(xxh3.Hash128Seed(key, t.seed).Bytes())
	t.mu.Lock()
	defer t.mu.Unlock()
	t.top.add(id, key, t.sketch.Add(id[:], 1))
}

// Top returns at most n keys, those with the largest counts first.
func (t *Tracker) Top(n int) []Key {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Key, len(t.top.keys))
	for i, k := range t.top.keys {
		all[i] = k.Key
	}
	slices.SortFunc(all, func(a, b Key) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), bytes.Compare(a.Key, b.Key))
	})
	return all[:min(max(n, 0), len(all))]
}

// Total returns how many keys were counted.
func (t *Tracker) Total() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sketch.Total()
}

// Reset forgets all keys and counts.
func (t *Tracker) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sketch.Reset()
	t.top.keys = nil
	clear(t.top.places)
}

// id is a hash of a whole key, and stands for it.
type id [16]byte

// topKeys is a heap of the keys with the largest counts, the least on top.
type topKeys struct {
	most   int
	keys   []listed
	places map[id]int // in the heap
}

type listed struct {
	Key
	id id
}

// add counts a key. The sketch says that it was counted at most so many times by
// now. While a key is listed its count grows exactly, so what may be wrong in it
// is what the sketch said when the key came.
func (t *topKeys) add(id id, key []byte, most uint64) {
	if i, ok := t.places[id]; ok {
		t.keys[i].Count++
		heap.Fix(t, i)
		return
	}
	full := len(t.keys) == t.most
	if full && most <= t.keys[0].Count {
		return
	}
	k := listed{Key{bytes.Clone(key[:min(len(key), MaxKeyBytes)]), len(key), most, most - 1}, id}
	if !full {
		heap.Push(t, k)
		return
	}
	delete(t.places, t.keys[0].id)
	t.keys[0], t.places[id] = k, 0
	heap.Fix(t, 0)
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (t *topKeys) Len() int           { return len(t.keys) }
func (t *topKeys) Less(i, j int) bool { return t.keys[i].Count < t.keys[j].Count }

func (t *topKeys) Swap(i, j int) {
	t.keys[i], t.keys[j] = t.keys[j], t.keys[i]
	t.places[t.keys[i].id] = i
	t.places[t.keys[j].id] = j
}

func (t *topKeys) Push(x any) {
	k := x.(listed)
	t.places[k.id] = len(t.keys)
	t.keys = append(t.keys, k)
}

func (t *topKeys) Pop() any { panic("a key is replaced, never removed") }
