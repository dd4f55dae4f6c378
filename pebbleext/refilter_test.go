package pebbleext

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// oldStore is a store made without Gravel, with every kind of key, in tables
// of several levels or in L6 only.
type oldStore struct {
	opts *pebble.Options
	keys keySpace
	want contents
}

// contents is what a store holds: a checksum of a scan over points and range
// keys, and the value of each key.
type contents struct {
	scan   uint64
	points int
	values map[string]string
}

func oldOptions(fs vfs.FS, keys keySpace, policy pebble.FilterPolicy) *pebble.Options {
	opts := storeOptions(fs, policy)
	opts.Comparer = keys.comparer
	if keys.schema != nil {
		opts.KeySchema = keys.schema.Name
		opts.KeySchemas = sstable.MakeKeySchemas(keys.schema)
	}
	opts.Experimental.ValueSeparationPolicy = func() pebble.ValueSeparationPolicy {
		return pebble.ValueSeparationPolicy{Enabled: true, MinimumSize: 100, MaxBlobReferenceDepth: 5, TargetGarbageRatio: 1}
	}
	return opts
}

func newOldStore(t *testing.T, fs vfs.FS, dir string, keys keySpace, policy pebble.FilterPolicy, onlyL6 bool, seed uint64) *oldStore {
	opts := oldOptions(fs, keys, policy)
	opts.DisableAutomaticCompactions = true // no table may get its filter by chance
	h := &history{
		t: t, keys: keys, cmp: keys.comparer,
		rng:  rand.New(rand.NewPCG(seed, 1)),
		db:   openStore(t, dir, opts),
		sets: map[string]int{},
	}
	start, end := keys.ends()
	for round := range 6 {
		h.write(h.db, 400)
		h.writeOtherKinds()
		require.NoError(t, h.db.Flush())
		if round < 4 || onlyL6 {
			require.NoError(t, h.db.Compact(context.Background(), start, end, false))
		}
		if round == 4 { // leaves virtual tables
			from, to := h.span()
			require.NoError(t, h.db.Excise(context.Background(), pebble.KeyRange{Start: from, End: to}))
		}
	}
	s := &oldStore{opts: opts, keys: keys, want: readAll(t, h.db, keys)}
	levels := h.db.Metrics().Levels
	require.Positive(t, levels[6].TablesCount)
	if !onlyL6 {
		require.Positive(t, levels[0].TablesCount)
	}
	require.NoError(t, h.db.Close())
	return s
}

// writeOtherKinds makes writes of the kinds that history.write does not.
func (h *history) writeOtherKinds() {
	start, end := h.span()
	require.NoError(h.t, h.db.RangeKeyUnset(start, end, h.keys.suffix, nil))
	start, end = h.span()
	require.NoError(h.t, h.db.RangeKeyDelete(start, end, nil))
	key := h.keys.keys[3*h.rng.IntN(len(h.keys.keys)/3)+1]
	h.sets[string(key)] = 0
	require.NoError(h.t, h.db.DeleteSized(key, 40, nil))
}

func readAll(t testing.TB, r pebble.Reader, keys keySpace) contents {
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
	reader := NewReader(r, keys.comparer)
	for _, key := range keys.keys {
		value, closer, err := r.Get(key)
		if err == nil {
			c.values[string(key)] = string(value)
			require.NoError(t, closer.Close())
		} else {
			require.ErrorIs(t, err, pebble.ErrNotFound)
		}
		got, closer, gotErr := reader.Get(key)
		require.Equal(t, err, gotErr)
		if gotErr == nil {
			require.Equal(t, c.values[string(key)], string(got))
			require.NoError(t, closer.Close())
		}
	}
	return c
}

// check opens the store with the plan and compares its contents.
func (s *oldStore) check(t testing.TB, fs vfs.FS, dir string, plan Plan) {
	t.Helper()
	opts := s.opts.Clone()
	opts.FS = fs
	Apply(opts, plan)
	db := openStore(t, dir, opts)
	require.Equal(t, s.want, readAll(t, db, s.keys))
	require.NoError(t, db.Close())
}

// checkFiltered is check for a store whose tables all have the plan's filters.
func (s *oldStore) checkFiltered(t testing.TB, fs vfs.FS, dir string, plan Plan) {
	t.Helper()
	s.check(t, fs, dir, plan)
	opts := s.opts.Clone()
	opts.FS = fs
	Apply(opts, plan)
	db := openStore(t, dir, opts)
	levels, err := db.SSTables(pebble.WithProperties())
	require.NoError(t, err)
	for level, tables := range levels {
		for _, table := range tables {
			if p := table.Properties; p.NumEntries > p.NumRangeDeletions {
				want := plan[level].Name()
				if plan[level] == pebble.NoFilterPolicy {
					want = ""
				}
				require.Equal(t, want, p.FilterPolicyName, "L%d %s", level, table.FileNum)
			}
		}
	}
	if plan[6] != pebble.NoFilterPolicy {
		require.Positive(t, probes(db, func() {
			require.NoError(t, NewReader(db, s.keys.comparer).HasMany(s.keys.keys, func(int) {}))
		}))
	}
	require.NoError(t, db.Close())
}

func mustPlan(t testing.TB, text string) Plan {
	t.Helper()
	plan, err := ParsePlan(text)
	require.NoError(t, err)
	return plan
}

// refilterInSteps is Refilter with a step for each table.
func refilterInSteps(ctx context.Context, dir string, opts *pebble.Options, plan Plan, settings RefilterSettings) (RefilterReport, error) {
	r := newRefilter(ctx, dir, opts, plan, settings)
	r.minStep = 1
	err := r.run(ctx)
	return r.now(), err
}

func TestRefilter(t *testing.T) {
	olds := map[string]pebble.FilterPolicy{"none": nil, "pebble": bloom.FilterPolicy(10)}
	for keysName, keys := range keySpaces() {
		for policyName, old := range olds {
			for _, onlyL6 := range []bool{false, true} {
				for i, text := range []string{
					"twochoice:8", "ribbon:7", "L0-L5=bloom:14;L6=compressed:1%", "L0-L4=bloom:8,layout=flat,max=1KiB;L5-L6=none",
				} {
					t.Run(fmt.Sprintf("%s/%s/%t/%s", keysName, policyName, onlyL6, text), func(t *testing.T) {
						fs := vfs.NewMem()
						s := newOldStore(t, fs, "db", keys, old, onlyL6, uint64(i))
						plan := mustPlan(t, text)
						refilter := Refilter
						if i%2 == 0 {
							refilter = refilterInSteps
						}
						var last RefilterReport
						report, err := refilter(t.Context(), "db", s.opts, plan, RefilterSettings{
							Progress: func(r RefilterReport) {
								require.GreaterOrEqual(t, r.Done, last.Done)
								last = r
							},
						})
						require.NoError(t, err)
						require.Equal(t, last.Done, report.Done)
						require.Equal(t, report.Pending, report.Done)
						require.Equal(t, report.PendingBytes, report.DoneBytes)
						s.checkFiltered(t, fs, "db", plan)

						again, err := refilter(t.Context(), "db", s.opts, plan, RefilterSettings{})
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
