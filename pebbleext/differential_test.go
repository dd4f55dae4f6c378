package pebbleext

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// TestReaderAgreesWithGet compares a Reader with pebble.DB.Get, over every
// kind of pebble.Reader, after each stage of a store's random history.
func TestReaderAgreesWithGet(t *testing.T) {
	for keysName, space := range keySpaces() {
		for policyName, policy := range policies {
			t.Run(keysName+"/"+policyName, func(t *testing.T) {
				for seed := range uint64(3) {
					h := newHistory(t, space, policy, seed)
					for range 12 {
						h.write(h.db, 200)
						h.maintain()
						h.check()
					}
					h.checkL6()
					h.close()
				}
			})
		}
	}
}

// keySpace is a set of keys of which a history writes some; the others stay
// absent between them.
type keySpace struct {
	comparer *pebble.Comparer
	schema   *pebble.KeySchema // nil for Pebble's default
	keys     [][]byte          // in order
	bounds   [][]byte          // ends of ranges, in order, from the first key to past the last
	suffix   []byte            // of range keys
}

func (k keySpace) ends() (first, pastLast []byte) { return k.bounds[0], k.bounds[len(k.bounds)-1] }

func keySpaces() map[string]keySpace {
	whole := keySpace{comparer: pebble.DefaultComparer}
	split := keySpace{
		comparer: &cockroachkvs.Comparer,
		schema:   &cockroachkvs.KeySchema,
		suffix:   cockroachkvs.NewTimestampSuffix(5, 0),
	}
	for i := range 300 {
		whole.keys = append(whole.keys, fmt.Appendf(nil, "key%04d", i))
	}
	whole.bounds = append(whole.bounds, whole.keys...)
	whole.bounds = append(whole.bounds, []byte("kez"))
	for i := range 80 {
		prefix := fmt.Appendf(nil, "key%04d", i)
		bare := cockroachkvs.EncodeMVCCKey(nil, prefix, 0, 0)
		split.bounds = append(split.bounds, bare)
		split.keys = append(split.keys, bare)
		for version := uint64(7); version > 4; version-- { // newest first
			split.keys = append(split.keys, cockroachkvs.EncodeMVCCKey(nil, prefix, version, uint32(version%2)))
		}
	}
	split.bounds = append(split.bounds, cockroachkvs.EncodeMVCCKey(nil, []byte("kez"), 0, 0))
	return map[string]keySpace{"whole keys": whole, "split keys": split}
}

// history is a store with random writes, and readers that were opened over it
// on the way.
type history struct {
	t    *testing.T
	rng  *rand.Rand
	db   *pebble.DB
	cmp  *pebble.Comparer
	keys keySpace
	// sets counts the Sets of a key since it was last deleted: a SingleDelete
	// is defined after one only.
	sets     map[string]int
	snapshot *pebble.Snapshot
	fileOnly *pebble.EventuallyFileOnlySnapshot
	batch    *pebble.Batch
}

func newHistory(t *testing.T, keys keySpace, policy pebble.FilterPolicy, seed uint64) *history {
	opts := storeOptions(vfs.NewMem(), policy)
	opts.Comparer = keys.comparer
	if keys.schema != nil {
		opts.KeySchema = keys.schema.Name
		opts.KeySchemas = sstable.MakeKeySchemas(keys.schema)
	}
	h := &history{
		t: t, keys: keys, cmp: keys.comparer,
		rng:  rand.New(rand.NewPCG(seed, 0)),
		db:   openStore(t, "", opts),
		sets: make(map[string]int),
	}
	h.open()
	return h
}

// open pins the state of now in snapshots, and begins a batch on top of it.
func (h *history) open() {
	h.snapshot = h.db.NewSnapshot()
	start, end := h.keys.ends()
	h.fileOnly = h.db.NewEventuallyFileOnlySnapshot([]pebble.KeyRange{{Start: start, End: end}})
	h.batch = h.db.NewIndexedBatch()
}

func (h *history) closeReaders() {
	require.NoError(h.t, h.batch.Close())
	require.NoError(h.t, h.fileOnly.Close())
	require.NoError(h.t, h.snapshot.Close())
}

func (h *history) close() {
	h.closeReaders()
	require.NoError(h.t, h.db.Close())
}

// write makes n random writes to two keys in three.
func (h *history) write(w pebble.Writer, n int) {
	for range n {
		i := h.rng.IntN(len(h.keys.keys))
		if i%3 == 0 {
			continue
		}
		require.NoError(h.t, h.writeOne(w, h.keys.keys[i]))
	}
}

func (h *history) writeOne(w pebble.Writer, key []byte) error {
	id := string(key)
	switch p := h.rng.IntN(100); {
	case p < 55:
		h.sets[id]++
		return w.Set(key, h.value(), nil)
	case p < 70:
		h.sets[id] += 2
		return w.Merge(key, h.value(), nil)
	case p < 82:
		h.sets[id] = 0
		return w.Delete(key, nil)
	case p < 96:
		if h.sets[id] != 1 {
			return nil
		}
		h.sets[id] = 0
		return w.SingleDelete(key, nil)
	case p < 98:
		start, end := h.span()
		return w.DeleteRange(start, end, nil)
	default:
		start, end := h.span()
		return w.RangeKeySet(start, end, h.keys.suffix, h.value(), nil)
	}
}

// value is empty now and then.
func (h *history) value() []byte {
	value := make([]byte, h.rng.IntN(4)*40)
	for i := range value {
		value[i] = byte(h.rng.Uint32())
	}
	return value
}

func (h *history) span() (start, end []byte) {
	n := len(h.keys.bounds)
	length := 1 + h.rng.IntN(n/20)
	i := h.rng.IntN(n - length)
	return h.keys.bounds[i], h.keys.bounds[i+length]
}

// maintain changes the shape of the store or what its readers see.
func (h *history) maintain() {
	switch h.rng.IntN(8) {
	case 0:
		start, end := h.span()
		require.NoError(h.t, h.db.Compact(context.Background(), start, end, false))
	case 1:
		h.closeReaders()
		h.open()
	case 2:
		before := h.sets
		h.sets = make(map[string]int) // the batch is never applied
		h.write(h.batch, 50)
		h.sets = before
	default:
		require.NoError(h.t, h.db.Flush())
	}
}

// check compares Readers with Get over all readers.
func (h *history) check() {
	for name, reader := range map[string]pebble.Reader{
		"db": h.db, "snapshot": h.snapshot, "file-only snapshot": h.fileOnly, "batch": h.batch,
	} {
		checkReader(h.t, name, reader, NewReader(reader, h.cmp), h.keys.keys)
		hits := NewReader(reader, h.cmp)
		manyHits(hits, h.keys.keys)
		checkReader(h.t, name+" after hits", reader, hits, h.keys.keys)
	}
}

// manyHits looks present keys up, if there are any, until the reader leaves
// lookups to Get.
func manyHits(r *Reader, keys [][]byte) {
	for _, key := range keys {
		if closed(r.Get(key)) != nil {
			continue
		}
		for range 256 {
			_ = closed(r.Get(key))
		}
		return
	}
}

// checkL6 checks a store that lies in L6 alone, where Get asks no filter.
func (h *history) checkL6() {
	h.closeReaders()
	start, end := h.keys.ends()
	compactAll(h.t, h.db, start, end)
	h.open()
	r := NewReader(h.db, h.cmp)
	require.Zero(h.t, probes(h.db, func() { checkAbsent(h.t, h.db, h.keys.keys) }))
	require.Positive(h.t, probes(h.db, func() { checkAbsent(h.t, r, h.keys.keys) }))
	require.Positive(h.t, probes(h.db, func() {
		require.NoError(h.t, r.HasMany(h.keys.keys, func(int) {}))
	}))
	h.check()
}

type getter interface {
	Get(key []byte) ([]byte, io.Closer, error)
}

// checkAbsent looks up the keys that no history writes.
func checkAbsent(t *testing.T, r getter, keys [][]byte) {
	for i := 0; i < len(keys); i += 3 {
		_, _, err := r.Get(keys[i])
		require.ErrorIs(t, err, pebble.ErrNotFound)
	}
}

// checkReader compares every method of got with want's Get.
func checkReader(t *testing.T, name string, want pebble.Reader, got *Reader, keys [][]byte) {
	var present []int
	for i, key := range keys {
		value, err := get(t, want, key)
		gotValue, gotErr := get(t, got, key)
		require.Equal(t, err, gotErr, "%s: Get(%q)", name, key)
		require.Equal(t, value, gotValue, "%s: Get(%q)", name, key)
		has, gotErr := got.Has(key)
		require.NoError(t, gotErr, name)
		require.Equal(t, err == nil, has, "%s: Has(%q)", name, key)
		if err == nil {
			present = append(present, i)
		}
	}
	var many, has []int
	require.NoError(t, got.GetMany(keys, func(i int, gotValue []byte) error {
		value, err := get(t, want, keys[i])
		require.NoError(t, err, name)
		require.Equal(t, value, append([]byte{}, gotValue...), "%s: GetMany, %q", name, keys[i])
		many = append(many, i)
		return nil
	}))
	require.NoError(t, got.HasMany(keys, func(i int) { has = append(has, i) }))
	require.Equal(t, present, many, name)
	require.Equal(t, present, has, name)
}

// get returns a copy of a value, empty rather than nil if it has no bytes.
func get(t *testing.T, r getter, key []byte) ([]byte, error) {
	value, closer, err := r.Get(key)
	if err != nil {
		require.Nil(t, closer)
		return nil, err
	}
	value = append([]byte{}, value...)
	require.NoError(t, closer.Close())
	return value, nil
}
