package pebbleext_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestReaderAgreesWithGet compares a Reader with pebble.DB.Get, over every
// kind of pebble.Reader, after each stage of a store's random history, in which
// tables are ingested, excised and rewritten, and plans change.
func TestReaderAgreesWithGet(t *testing.T) {
	for keysName, space := range storetest.KeySpaces() {
		t.Run(keysName, func(t *testing.T) {
			checks := 0
			storetest.EachSeed(t, 4, func(t *testing.T, seed uint64) {
				rng := rand.New(rand.NewPCG(seed, 7))
				h := storetest.NewHistory(t, space, storetest.RandomPlan(t, rng), seed)
				for stage := range 16 {
					if stage%6 == 5 {
						h.Reopen(storetest.RandomPlan(t, rng))
					}
					h.Write(h.DB, 200)
					h.Maintain()
					checks += checkReaders(h)
				}
				h.Close()
			})
			t.Logf("%d checks", checks)
		})
	}
}

// policies are the two sides of a switch.
var policies = map[string]pebble.FilterPolicy{
	"gravel": filterpolicy.Bloom(10),
	"pebble": bloom.FilterPolicy(10),
}

// TestReaderAsksL6: the filters of L6 are asked, which pebble.DB.Get never does.
func TestReaderAsksL6(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables))
	for keysName, space := range storetest.KeySpaces() {
		for policyName, policy := range policies {
			t.Run(keysName+"/"+policyName, func(t *testing.T) {
				h := storetest.NewHistory(t, space, pebbleext.Uniform(policy), 1)
				for range 5 {
					h.Write(h.DB, 200)
					h.Maintain()
				}
				checkL6(h)
				h.Close()
			})
		}
	}
}

// TestFalseNegativesAreNoticed: filters that lack one key in a thousand make a
// Reader of each way differ from an iterator that asks none.
func TestFalseNegativesAreNoticed(t *testing.T) {
	eachWay(func(way pointread.Way) {
		for keysName, space := range storetest.KeySpaces() {
			// By get one history in eight notices, as L6 is not asked: none of 200 with
			// a probability of 10^-11.
			noticed, written := false, 0
			for seed := uint64(0); seed < 200 && !noticed; seed++ {
				plan := pebbleext.Plan{Index: 8}
				if way != pointread.Index {
					plan = pebbleext.Uniform(filterpolicy.Bloom(10))
				}
				h := storetest.NewHistory(t, space, plan, seed, func(opts *pebble.Options) {
					forget(opts, oneIn(1000, &written))
					policy := &forgetfulPolicy{FilterPolicy: filterpolicy.Bloom(10)}
					opts.Filters[policy.Name()] = policy
				})
				r := pebbleext.ReaderOf(h.DB, space.Comparer, pebbleext.Options{})
				for range 12 {
					h.Write(h.DB, 200)
					h.Maintain()
					noticed = noticed || differs(t, h.DB, r, space.Keys)
				}
				h.Close()
			}
			require.True(t, noticed, "%s, %s", way, keysName)
		}
	})
}

// differs reports whether Has finds other keys than an iterator without filters.
func differs(t *testing.T, db *pebble.DB, r *pebbleext.Reader, keys [][]byte) bool {
	iter, err := db.NewIter(nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, iter.Close()) }()
	for _, key := range keys {
		has, err := r.Has(key)
		require.NoError(t, err)
		if has != (iter.SeekGE(key) && bytes.Equal(iter.Key(), key)) {
			return true
		}
	}
	return false
}

// forget makes the filters in the index miss keys.
func forget(opts *pebble.Options, missed func(key []byte) bool) {
	opts.BlockPropertyCollectors = slices.Clone(opts.BlockPropertyCollectors)
	for i, construct := range opts.BlockPropertyCollectors {
		if indexfilter.IsPropertyName(construct().Name(), opts.Comparer) {
			opts.BlockPropertyCollectors[i] = func() pebble.BlockPropertyCollector {
				return forgetful{construct(), missed}
			}
		}
	}
}

// oneIn misses one key in every that are written.
func oneIn(every int, written *int) func([]byte) bool {
	return func([]byte) bool {
		*written++
		return *written%every == 0
	}
}

type forgetful struct {
	pebble.BlockPropertyCollector
	missed func(key []byte) bool
}

func (c forgetful) AddPointKey(key pebble.InternalKey, value []byte) error {
	if c.missed(key.UserKey) {
		return nil
	}
	return c.BlockPropertyCollector.AddPointKey(key, value)
}

// checkReaders compares Readers of each way, and one that goes by the rule, with
// Get over all kinds of pebble.Reader. It returns how many lookups it compared.
func checkReaders(h *storetest.History) (checks int) {
	readers := map[string]*pebbleext.Reader{"rule": pebbleext.ReaderOf(h.DB, h.Keys.Comparer, pebbleext.Options{})}
	eachWay(func(way pointread.Way) {
		readers[way.String()] = pebbleext.ReaderOf(h.DB, h.Keys.Comparer, pebbleext.Options{})
	})
	for way, r := range readers {
		for name, reader := range map[string]pebble.Reader{
			"db": h.DB, "snapshot": h.Snapshot, "file-only snapshot": h.FileOnly, "batch": h.Batch,
		} {
			checks += storetest.RequireAgree(h.T, name+" by "+way, reader, r.Over(reader), h.Keys.Keys)
		}
	}
	return checks
}

// checkL6 checks a store that lies in L6 alone, where Get asks no filter.
func checkL6(h *storetest.History) {
	h.CloseReaders()
	start, end := h.Keys.Ends()
	storetest.CompactAll(h.T, h.DB, start, end)
	h.OpenReaders()
	r := pebbleext.ReaderOf(h.DB, h.Keys.Comparer, pebbleext.Options{})
	require.Zero(h.T, storetest.Queries(h.DB, func() { checkAbsent(h.T, h.DB, h.Keys.Keys) }))
	require.Positive(h.T, storetest.Queries(h.DB, func() { checkAbsent(h.T, r, h.Keys.Keys) }))
	require.Positive(h.T, storetest.Queries(h.DB, func() {
		require.NoError(h.T, r.HasMany(h.Keys.Keys, func(int) {}))
	}))
}

// checkAbsent looks up the keys that no history writes.
func checkAbsent(t *testing.T, r storetest.Getter, keys [][]byte) {
	for i := 0; i < len(keys); i += 3 {
		_, _, err := r.Get(keys[i])
		require.ErrorIs(t, err, pebble.ErrNotFound)
	}
}
