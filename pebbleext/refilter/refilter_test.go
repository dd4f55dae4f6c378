package refilter

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// oldStore is a store made without Gravel, with every kind of key, in tables
// of several levels or in L6 only.
type oldStore struct {
	opts *pebble.Options
	keys storetest.KeySpace
	want contents
}

// contents is what a store holds: a checksum of a scan over points and range
// keys, and the value of each key.
type contents struct {
	scan   uint64
	points int
	values map[string]string
}

func oldOptions(fs vfs.FS, keys storetest.KeySpace, policy pebble.FilterPolicy) *pebble.Options {
	opts := storetest.Options(fs, policy)
	keys.SetOptions(opts)
	opts.Experimental.ValueSeparationPolicy = func() pebble.ValueSeparationPolicy {
		return pebble.ValueSeparationPolicy{Enabled: true, MinimumSize: 100, MaxBlobReferenceDepth: 5, TargetGarbageRatio: 1}
	}
	return opts
}

func newOldStore(t *testing.T, fs vfs.FS, dir string, keys storetest.KeySpace, policy pebble.FilterPolicy, onlyL6 bool, seed uint64) *oldStore {
	opts := oldOptions(fs, keys, policy)
	opts.DisableAutomaticCompactions = true // no table may get its filter by chance
	h := &storetest.History{
		T: t, Keys: keys,
		Rand: rand.New(rand.NewPCG(seed, 1)),
		DB:   storetest.Open(t, dir, opts),
		Sets: map[string]int{},
	}
	start, end := keys.Ends()
	for round := range 6 {
		h.Write(h.DB, 400)
		writeOtherKinds(h)
		require.NoError(t, h.DB.Flush())
		if round < 4 || onlyL6 {
			require.NoError(t, h.DB.Compact(context.Background(), start, end, false))
		}
		if round == 4 { // leaves virtual tables
			from, to := h.Span()
			require.NoError(t, h.DB.Excise(context.Background(), pebble.KeyRange{Start: from, End: to}))
		}
	}
	s := &oldStore{opts: opts, keys: keys, want: readAll(t, h.DB, keys)}
	levels := h.DB.Metrics().Levels
	require.Positive(t, levels[6].TablesCount)
	if !onlyL6 {
		require.Positive(t, levels[0].TablesCount)
	}
	require.NoError(t, h.DB.Close())
	return s
}

// writeOtherKinds makes writes of the kinds that History.Write does not.
func writeOtherKinds(h *storetest.History) {
	start, end := h.Span()
	require.NoError(h.T, h.DB.RangeKeyUnset(start, end, h.Keys.Suffix, nil))
	start, end = h.Span()
	require.NoError(h.T, h.DB.RangeKeyDelete(start, end, nil))
	key := h.Keys.Keys[3*h.Rand.IntN(len(h.Keys.Keys)/3)+1]
	h.Sets[string(key)] = 0
	require.NoError(h.T, h.DB.DeleteSized(key, 40, nil))
}

func readAll(t testing.TB, r pebble.Reader, keys storetest.KeySpace) contents {
	t.Helper()
	c := contents{values: map[string]string{}}
	sum := fnv.New64a()
	iter, err := r.NewIter(&pebble.IterOptions{KeyTypes: pebble.IterKeyTypePointsAndRanges})
	require.NoError(t, err)
	for ok := iter.First(); ok; ok = iter.Next() {
		hasPoint, hasRange := iter.HasPointAndRange()
		fmt.Fprintf(sum, "%x %t %t", iter.Key(), hasPoint, hasRange)
		if hasPoint {
			value, err := iter.ValueAndErr()
			require.NoError(t, err)
			fmt.Fprintf(sum, " %x", value)
			c.points++
		}
		if hasRange {
			start, end := iter.RangeBounds()
			fmt.Fprintf(sum, " %x %x %x", start, end, iter.RangeKeys())
		}
	}
	require.NoError(t, iter.Error())
	require.NoError(t, iter.Close())
	c.scan = sum.Sum64()
	for _, key := range keys.Keys {
		value, closer, err := r.Get(key)
		if err == nil {
			c.values[string(key)] = string(value)
			require.NoError(t, closer.Close())
		} else {
			require.ErrorIs(t, err, pebble.ErrNotFound)
		}
	}
	return c
}

// check opens the store with the plan and compares its contents.
func (s *oldStore) check(t testing.TB, fs vfs.FS, dir string, plan pebbleext.Plan) {
	t.Helper()
	opts := s.opts.Clone()
	opts.FS = fs
	db, err := pebbleext.Open(dir, opts, pebbleext.Options{Plan: plan})
	require.NoError(t, err)
	require.Equal(t, s.want, readAll(t, db, s.keys))
	storetest.RequireAgree(t, "reader", db.DB, db.Reader, s.keys.Keys)
	require.NoError(t, db.Close())
}

// checkFiltered is check for a store whose tables all have the plan's filters.
func (s *oldStore) checkFiltered(t testing.TB, fs vfs.FS, dir string, plan pebbleext.Plan) {
	t.Helper()
	s.check(t, fs, dir, plan)
	opts := s.opts.Clone()
	opts.FS = fs
	defer pointread.Force(pointread.Tables)()
	db, err := pebbleext.Open(dir, opts, pebbleext.Options{Plan: plan})
	require.NoError(t, err)
	levels, err := db.SSTables(pebble.WithProperties())
	require.NoError(t, err)
	for level, tables := range levels {
		for _, table := range tables {
			if p := table.Properties; p.NumEntries > p.NumRangeDeletions {
				want := plan.Levels[level].Name()
				if plan.Levels[level] == pebble.NoFilterPolicy {
					want = ""
				}
				require.Equal(t, want, p.FilterPolicyName, "L%d %s", level, table.FileNum)
			}
		}
	}
	if plan.Levels[6] != pebble.NoFilterPolicy {
		require.Positive(t, storetest.Queries(db.DB, func() {
			require.NoError(t, db.HasMany(s.keys.Keys, func(int) {}))
		}))
	}
	require.NoError(t, db.Close())
}

// runInSteps is Run with a step for each table.
func runInSteps(ctx context.Context, dir string, opts *pebble.Options, plan pebbleext.Plan, settings Settings) (Report, error) {
	r := newRun(ctx, dir, opts, plan, settings)
	r.minStep = 1
	err := r.do(ctx)
	return r.now(), err
}

func TestRefilter(t *testing.T) {
	olds := map[string]pebble.FilterPolicy{"none": nil, "pebble": bloom.FilterPolicy(10)}
	for keysName, keys := range storetest.KeySpaces() {
		for policyName, old := range olds {
			for _, onlyL6 := range []bool{false, true} {
				for i, text := range []string{
					"twochoice:8", "dense:10", "ribbon:7", "L0-L5=bloom:14;L6=compressed:1%", "L0-L4=bloom:8,layout=flat,max=1KiB;L5-L6=none",
				} {
					t.Run(fmt.Sprintf("%s/%s/%t/%s", keysName, policyName, onlyL6, text), func(t *testing.T) {
						fs := vfs.NewMem()
						s := newOldStore(t, fs, "db", keys, old, onlyL6, uint64(i))
						plan := storetest.ParsePlan(t, text)
						refilter := Run
						if i%2 == 0 {
							refilter = runInSteps
						}
						var last Report
						report, err := refilter(t.Context(), "db", s.opts, plan, Settings{
							Progress: func(r Report) {
								require.GreaterOrEqual(t, r.Done, last.Done)
								last = r
							},
						})
						require.NoError(t, err)
						require.Equal(t, last.Done, report.Done)
						require.Equal(t, report.Pending, report.Done)
						require.Equal(t, report.PendingBytes, report.DoneBytes)
						s.checkFiltered(t, fs, "db", plan)

						again, err := refilter(t.Context(), "db", s.opts, plan, Settings{})
						require.NoError(t, err)
						require.Zero(t, again.Pending)
						require.Zero(t, again.Written)
						require.Positive(t, again.Tables)
					})
				}
			}
		}
	}
}
