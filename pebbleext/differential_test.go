package pebbleext_test

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestReaderAgreesWithGet compares a Reader with pebble.DB.Get, over every
// kind of pebble.Reader, after each stage of a store's random history.
func TestReaderAgreesWithGet(t *testing.T) {
	for keysName, space := range storetest.KeySpaces() {
		for policyName, policy := range storetest.Policies {
			t.Run(keysName+"/"+policyName, func(t *testing.T) {
				for seed := range uint64(3) {
					h := storetest.NewHistory(t, space, policy, seed)
					for range 12 {
						h.Write(h.DB, 200)
						h.Maintain()
						checkReaders(h)
					}
					checkL6(h)
					h.Close()
				}
			})
		}
	}
}

// checkReaders compares Readers with Get over all readers.
func checkReaders(h *storetest.History) {
	for name, reader := range map[string]pebble.Reader{
		"db": h.DB, "snapshot": h.Snapshot, "file-only snapshot": h.FileOnly, "batch": h.Batch,
	} {
		checkReader(h.T, name, reader, pebbleext.NewReader(reader, h.Keys.Comparer), h.Keys.Keys)
		hits := pebbleext.NewReader(reader, h.Keys.Comparer)
		manyHits(hits, h.Keys.Keys)
		checkReader(h.T, name+" after hits", reader, hits, h.Keys.Keys)
	}
}

// manyHits looks present keys up, if there are any, until the reader leaves
// lookups to Get.
func manyHits(r *pebbleext.Reader, keys [][]byte) {
	for _, key := range keys {
		if storetest.Closed(r.Get(key)) != nil {
			continue
		}
		for range 256 {
			_ = storetest.Closed(r.Get(key))
		}
		return
	}
}

// checkL6 checks a store that lies in L6 alone, where Get asks no filter.
func checkL6(h *storetest.History) {
	h.CloseReaders()
	start, end := h.Keys.Ends()
	storetest.CompactAll(h.T, h.DB, start, end)
	h.OpenReaders()
	r := pebbleext.NewReader(h.DB, h.Keys.Comparer)
	require.Zero(h.T, storetest.Queries(h.DB, func() { checkAbsent(h.T, h.DB, h.Keys.Keys) }))
	require.Positive(h.T, storetest.Queries(h.DB, func() { checkAbsent(h.T, r, h.Keys.Keys) }))
	require.Positive(h.T, storetest.Queries(h.DB, func() {
		require.NoError(h.T, r.HasMany(h.Keys.Keys, func(int) {}))
	}))
	checkReaders(h)
}

// checkAbsent looks up the keys that no history writes.
func checkAbsent(t *testing.T, r storetest.Getter, keys [][]byte) {
	for i := 0; i < len(keys); i += 3 {
		_, _, err := r.Get(keys[i])
		require.ErrorIs(t, err, pebble.ErrNotFound)
	}
}

// checkReader compares every method of got with want's Get.
func checkReader(t *testing.T, name string, want pebble.Reader, got *pebbleext.Reader, keys [][]byte) {
	var present []int
	for i, key := range keys {
		value, err := storetest.Get(t, want, key)
		gotValue, gotErr := storetest.Get(t, got, key)
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
		value, err := storetest.Get(t, want, keys[i])
		require.NoError(t, err, name)
		require.Equal(t, value, append([]byte{}, gotValue...), "%s: GetMany, %q", name, keys[i])
		many = append(many, i)
		return nil
	}))
	require.NoError(t, got.HasMany(keys, func(i int) { has = append(has, i) }))
	require.Equal(t, present, many, name)
	require.Equal(t, present, has, name)
}
