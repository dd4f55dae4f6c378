package filterpolicy

import (
	"bytes"
	"math/rand/v2"
	"sync"
)

// watchEvery lookups one is watched. While one is, every probe of the store is
// seen, so watching has to be rare also where many processors look up keys.
const watchEvery = 256

// Watch follows one lookup through the filters of a store, to learn from its
// outcome which answers were false positives:
//
//	watch := counter.Watch(prefix)
//	value, closer, err := db.Get(key)
//	watch.Done(err == nil)
//
// A nil Watch follows nothing.
type Watch struct {
	counter *Counter
	key     []byte
	mu      sync.Mutex
	answers []answer
}

type answer struct {
	counts   *counts
	positive bool
}

// Watch follows the lookup of a key that begins now, in one call of 256, and
// otherwise returns nil. The key is as filters have it, up to Comparer.Split. A
// new Watch ends an older one of the same Counter.
func (c *Counter) Watch(key []byte) *Watch {
	if rand.Uint32N(watchEvery) != 0 {
		return nil
	}
	w := &Watch{counter: c, key: bytes.Clone(key)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watched.Store(w)
	c.sample.ShowAll(true)
	return w
}

// note records the answer to a probe for the key. Another lookup of the same
// key at the same time is noted as well, which does no harm: it has the same
// outcome.
func (w *Watch) note(counts *counts, positive bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers = append(w.answers, answer{counts, positive})
}

// Done ends the lookup and counts its answers. If the key was absent, all
// positives were false. If it was found, all but the last were: tables are
// asked from the newest to the oldest, of which pebble.DB.Get asks no further
// than the one that has the key, and in which most keys of a store lie where an
// iterator asks all. A table that holds a deletion of the key counts as one
// that does not hold it.
func (w *Watch) Done(found bool) {
	if !w.end() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := len(w.answers) - 1; i >= 0; i-- {
		a := w.answers[i]
		if found && a.positive {
			found = false
			continue
		}
		a.counts.absent.Add(1)
		if a.positive {
			a.counts.falsePositives.Add(1)
		}
	}
}

// Discard ends a lookup of unknown outcome, such as one that failed.
func (w *Watch) Discard() { w.end() }

// end reports false if the lookup was not followed until now.
func (w *Watch) end() bool {
	if w == nil {
		return false
	}
	c := w.counter
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.watched.CompareAndSwap(w, nil) {
		return false
	}
	c.sample.ShowAll(false)
	return true
}
