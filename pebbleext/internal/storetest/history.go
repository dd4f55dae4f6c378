package storetest

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
)

// History is a store with random writes, and readers that were opened over it
// on the way.
type History struct {
	T    *testing.T
	Rand *rand.Rand
	DB   *pebble.DB
	Keys KeySpace
	// Sets counts the Sets of a key since it was last deleted: a SingleDelete
	// is defined after one only.
	Sets     map[string]int
	Snapshot *pebble.Snapshot
	FileOnly *pebble.EventuallyFileOnlySnapshot
	Batch    *pebble.Batch

	Opts   *pebble.Options // of DB
	tables int             // that were ingested
}

// NewHistory opens a store in memory with a plan for a random history of its
// keys.
func NewHistory(t *testing.T, keys KeySpace, plan pebbleext.Plan, seed uint64, edits ...func(*pebble.Options)) *History {
	opts := Options(vfs.NewMem(), nil)
	keys.SetOptions(opts)
	Apply(opts, plan)
	for _, edit := range edits {
		edit(opts)
	}
	h := &History{
		T: t, Keys: keys,
		Rand: rand.New(rand.NewPCG(seed, 0)),
		DB:   Open(t, "", opts),
		Sets: make(map[string]int),
		Opts: opts,
	}
	h.OpenReaders()
	return h
}

// OpenReaders pins the state of now in snapshots, and begins a batch on top of
// it.
func (h *History) OpenReaders() {
	h.Snapshot = h.DB.NewSnapshot()
	start, end := h.Keys.Ends()
	h.FileOnly = h.DB.NewEventuallyFileOnlySnapshot([]pebble.KeyRange{{Start: start, End: end}})
	h.Batch = h.DB.NewIndexedBatch()
}

// CloseReaders closes what OpenReaders opened.
func (h *History) CloseReaders() {
	require.NoError(h.T, h.Batch.Close())
	require.NoError(h.T, h.FileOnly.Close())
	require.NoError(h.T, h.Snapshot.Close())
}

// Close closes the store and its readers.
func (h *History) Close() {
	h.CloseReaders()
	require.NoError(h.T, h.DB.Close())
}

// Write makes n random writes to two keys in three.
func (h *History) Write(w pebble.Writer, n int) {
	for range n {
		i := h.Rand.IntN(len(h.Keys.Keys))
		if i%3 == 0 {
			continue
		}
		require.NoError(h.T, h.writeOne(w, h.Keys.Keys[i]))
	}
}

func (h *History) writeOne(w pebble.Writer, key []byte) error {
	id := string(key)
	switch p := h.Rand.IntN(100); {
	case p < 55:
		h.Sets[id]++
		return w.Set(key, h.value(), nil)
	case p < 70:
		h.Sets[id] += 2
		return w.Merge(key, h.value(), nil)
	case p < 82:
		h.Sets[id] = 0
		return w.Delete(key, nil)
	case p < 96:
		if h.Sets[id] != 1 {
			return nil
		}
		h.Sets[id] = 0
		return w.SingleDelete(key, nil)
	case p < 98:
		start, end := h.Span()
		return w.DeleteRange(start, end, nil)
	default:
		start, end := h.Span()
		return w.RangeKeySet(start, end, h.Keys.Suffix, h.value(), nil)
	}
}

// value is empty now and then.
func (h *History) value() []byte {
	value := make([]byte, h.Rand.IntN(4)*40)
	for i := range value {
		value[i] = byte(h.Rand.Uint32())
	}
	return value
}

// Span returns the ends of a random range.
func (h *History) Span() (start, end []byte) {
	n := len(h.Keys.Bounds)
	length := 1 + h.Rand.IntN(n/20)
	i := h.Rand.IntN(n - length)
	return h.Keys.Bounds[i], h.Keys.Bounds[i+length]
}

// Maintain changes the shape of the store or what its readers see.
func (h *History) Maintain() {
	switch h.Rand.IntN(11) {
	case 0:
		start, end := h.Span()
		require.NoError(h.T, h.DB.Compact(context.Background(), start, end, false))
	case 1:
		h.CloseReaders()
		h.OpenReaders()
	case 2:
		before := h.Sets
		h.Sets = make(map[string]int) // the batch is never applied
		h.Write(h.Batch, 50)
		h.Sets = before
	case 3:
		h.Ingest(false)
	case 4:
		h.Ingest(true)
	default:
		require.NoError(h.T, h.DB.Flush())
	}
}
