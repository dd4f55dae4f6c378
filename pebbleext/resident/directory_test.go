package resident

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// crowded returns identities of which many share a place.
func crowded(rng *rand.Rand) (id identity) {
	binary.LittleEndian.PutUint64(id[:], uint64(rng.IntN(40)))
	binary.LittleEndian.PutUint64(id[8:], uint64(rng.IntN(5)))
	return id
}

func TestDirectory(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	var d directory
	entries := map[identity]*filter{}
	for range 4000 {
		id := crowded(rng)
		e := entries[id]
		require.Same(t, e, d.find(id))
		if e == nil {
			entries[id] = &filter{head: head{id: id}}
			d.add(entries[id])
		} else {
			d.remove(e)
			delete(entries, id)
		}
		require.Equal(t, len(entries), d.count)
	}
	all := slices.Collect(d.all())
	require.Len(t, all, len(entries))
	for id, e := range entries {
		require.Same(t, e, d.find(id))
	}
}

// TestDirectoryConcurrently looks up while entries come and go: what is found
// is right.
func TestDirectoryConcurrently(t *testing.T) {
	var d directory
	var stop atomic.Bool
	var readers sync.WaitGroup
	for i := range 2 {
		readers.Go(func() {
			rng := rand.New(rand.NewPCG(3, uint64(i)))
			for !stop.Load() {
				id := crowded(rng)
				if e := d.find(id); e != nil && e.id != id {
					t.Errorf("%v is found for %v", e.id, id)
				}
			}
		})
	}
	rng := rand.New(rand.NewPCG(4, 0))
	for range 2000 {
		id := crowded(rng)
		if e := d.find(id); e != nil {
			d.remove(e)
		} else {
			d.add(&filter{head: head{id: id}})
		}
	}
	stop.Store(true)
	readers.Wait()
}
