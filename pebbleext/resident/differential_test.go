package resident_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// TestAgreesWithGet compares a Reader with resident filters with pebble.DB.Get,
// over every kind of pebble.Reader, in random histories of stores whose filters
// are evicted, loaded, moved and saved at random moments.
func TestAgreesWithGet(t *testing.T) {
	for name, keys := range storetest.KeySpaces() {
		t.Run(name, func(t *testing.T) {
			var denied uint64
			storetest.EachSeed(t, 2, func(t *testing.T, seed uint64) {
				h := newHistory(t, keys, seed)
				for range 6 {
					h.Write(h.DB, 200)
					h.Maintain()
					if h.Rand.IntN(4) == 0 {
						h.reopen()
					}
					h.check()
				}
				h.calm()
				denied += h.end().Denied
			})
			require.Positive(t, denied)
		})
	}
}

// history is a history whose filters are in memory, with a goroutine that
// disturbs them.
type history struct {
	*storetest.History
	fs      *vfs.MemFS
	plan    pebbleext.Plan
	filters *resident.Filters
	reader  *pebbleext.Reader
	budget  int64 // 0 if it is automatic
	chaos   sync.WaitGroup
	stop    context.CancelFunc
	saved   [][]byte // files of filters
}

func newHistory(t *testing.T, keys storetest.KeySpace, seed uint64) *history {
	rng := rand.New(rand.NewPCG(seed, 0))
	h := &history{
		History: &storetest.History{T: t, Keys: keys, Rand: rng, Sets: map[string]int{}},
		fs:      vfs.NewMem(),
		plan:    storetest.RandomPlan(t, rng),
	}
	switch {
	case seed%2 == 0:
		h.plan.Levels[6] = storetest.ParsePlan(t, "ribbon:10").Levels[6] // which is cut
	case h.plan.Levels[6] == pebble.NoFilterPolicy:
		h.plan.Levels[6] = filterpolicy.Bloom(10)
	}
	h.plan.Index = []int{0, 8}[seed%2]
	h.open()
	return h
}

func (h *history) open() {
	h.budget = []int64{0, 1 << 20}[h.Rand.IntN(2)]
	opts := storetest.Options(h.fs, nil)
	opts.Cache = pebble.NewCache(256 << 10)
	defer opts.Cache.Unref()
	h.Keys.SetOptions(opts)
	h.plan.Prefix = indexfilter.FixedLength(5 + h.Rand.IntN(3)) // tables before have another one
	setup := pebbleext.Apply(opts, pebbleext.Options{Plan: h.plan, FilterMemory: h.budget, FilterFile: "saved"})
	f := setup.Filters()
	f.SetTurnTime(time.Millisecond)
	if h.budget != 0 {
		require.NoError(h.T, f.SetBudget(budgets[h.Rand.IntN(len(budgets))]))
	}
	h.filters, h.Opts = f, opts
	h.DB = storetest.Open(h.T, "", opts)
	defer pointread.Force([]pointread.Way{pointread.Index, pointread.Tables}[h.Rand.IntN(2)])()
	var err error
	h.reader, err = setup.NewReader(h.DB)
	require.NoError(h.T, err)
	h.OpenReaders()
	ctx, stop := context.WithCancel(h.T.Context())
	h.stop = stop
	seed := h.Rand.Uint64()
	budget := h.budget
	h.chaos.Go(func() { disturb(ctx, h.T, f, budget, seed) })
}

var budgets = []int64{0, 1000, 5 << 10, 10 << 10, 15 << 10, 1 << 20, 1 << 20}

// disturb changes budgets and evicts filters until ctx ends.
func disturb(ctx context.Context, t *testing.T, f *resident.Filters, budget int64, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(rng.IntN(3)) * time.Millisecond):
		}
		if rng.IntN(3) > 0 {
			f.EvictSome(1 + rng.IntN(3))
		} else if budget == 0 {
			f.ChangeLimit(rng.Float64())
		} else if err := f.SetBudget(budgets[rng.IntN(len(budgets))]); err != nil {
			t.Error(err)
		}
		if s := f.Stats(); s.Used > s.Budget {
			t.Errorf("%d bytes of %d are used", s.Used, s.Budget)
		}
	}
}

// calm ends what disturbs, gives all filters of new tables memory, and checks.
func (h *history) calm() {
	h.stop()
	h.chaos.Wait()
	if h.budget != 0 {
		require.NoError(h.T, h.filters.SetBudget(1<<20))
	}
	h.Write(h.DB, 200)
	start, end := h.Keys.Ends()
	require.NoError(h.T, h.DB.Compact(h.T.Context(), start, end, false))
	h.check()
}

// end closes all and returns the last figures.
func (h *history) end() resident.Stats {
	h.stop()
	h.chaos.Wait()
	h.CloseReaders()
	require.NoError(h.T, h.reader.Close())
	require.NoError(h.T, h.DB.Close())
	return h.filters.Stats()
}

// reopen closes all and opens it again, with the file of saved filters as it
// is, cut, altered, as it was before, or of another history.
func (h *history) reopen() {
	s := h.end()
	require.Zero(h.T, s.Rejected)
	file := readFile(h.T, h.fs, "saved")
	h.saved = append(h.saved, bytes.Clone(file))
	switch i := h.Rand.IntN(len(file)); h.Rand.IntN(5) {
	case 0:
		file = file[:i]
	case 1:
		file[i] ^= byte(1 + h.Rand.IntN(255))
	case 2:
		file = h.saved[h.Rand.IntN(len(h.saved))]
	case 3:
		file, foreign = foreign, file
	}
	writeFile(h.T, h.fs, "saved", file)
	h.open()
}

// foreign is a file of saved filters of an earlier history, or state.
var foreign []byte

// check compares Readers with Get over all readers.
func (h *history) check() {
	for name, reader := range map[string]pebble.Reader{
		"db": h.DB, "snapshot": h.Snapshot, "file-only snapshot": h.FileOnly, "batch": h.Batch,
	} {
		storetest.RequireAgree(h.T, name, reader, h.reader.Over(reader), h.Keys.Keys)
		for range 20 {
			key := h.Keys.Keys[h.Rand.IntN(len(h.Keys.Keys))]
			h.checkPrefix(name, reader, h.reader.Over(reader), key[:h.plan.Prefix.PrefixLength(key)])
		}
	}
}

// checkPrefix compares an iterator over a prefix with one over all keys.
func (h *history) checkPrefix(name string, reader pebble.Reader, r *pebbleext.Reader, prefix []byte) {
	all, err := reader.NewIter(nil)
	require.NoError(h.T, err)
	some, err := r.NewPrefixIter(prefix, nil)
	require.NoError(h.T, err)
	some.First()
	for all.First(); all.Valid(); all.Next() {
		if bytes.HasPrefix(all.Key(), prefix) {
			require.True(h.T, some.Valid(), "%s: %q", name, all.Key())
			require.Equal(h.T, all.Key(), some.Key(), name)
			require.Equal(h.T, all.Value(), some.Value(), name)
			some.Next()
		}
	}
	require.False(h.T, some.Valid(), name)
	require.NoError(h.T, all.Close())
	require.NoError(h.T, some.Close())
}
