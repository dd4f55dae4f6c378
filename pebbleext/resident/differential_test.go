package resident_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
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
	chaos   sync.WaitGroup
	stop    chan struct{}
}

func newHistory(t *testing.T, keys storetest.KeySpace, seed uint64) *history {
	rng := rand.New(rand.NewPCG(seed, 0))
	h := &history{
		History: &storetest.History{T: t, Keys: keys, Rand: rng, Sets: map[string]int{}},
		fs:      vfs.NewMem(),
		plan:    storetest.RandomPlan(t, rng),
	}
	h.plan.Index = []int{0, 8}[seed%2]
	h.open()
	return h
}

func (h *history) open() {
	f, err := resident.New(resident.Settings{Budget: budgets[h.Rand.IntN(len(budgets))], File: "saved"})
	require.NoError(h.T, err)
	f.SetTurnTime(time.Millisecond)
	opts := storetest.Options(h.fs, filterpolicy.Bloom(10))
	h.Keys.SetOptions(opts)
	pebbleext.Apply(opts, h.plan)
	f.Apply(opts)
	h.filters, h.Opts = f, opts
	h.DB = storetest.Open(h.T, "", opts)
	require.NoError(h.T, f.Start(h.DB, opts))
	h.OpenReaders()
	h.stop = make(chan struct{})
	seed := h.Rand.Uint64()
	h.chaos.Go(func() { disturb(h.T, f, seed, h.stop) })
}

var budgets = []int64{0, 1000, 3 << 10, 10 << 10, 1 << 20}

// disturb changes budgets and evicts filters until it is stopped.
func disturb(t *testing.T, f *resident.Filters, seed uint64, stop chan struct{}) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(rng.IntN(3)) * time.Millisecond):
		}
		if rng.IntN(3) > 0 {
			f.EvictSome(1 + rng.IntN(3))
		} else if err := f.SetBudget(budgets[rng.IntN(len(budgets))]); err != nil {
			t.Error(err)
		}
		if s := f.Stats(); s.Used > s.Budget {
			t.Errorf("%d bytes of %d are used", s.Used, s.Budget)
		}
	}
}

// end closes all and returns the last figures.
func (h *history) end() resident.Stats {
	close(h.stop)
	h.chaos.Wait()
	h.CloseReaders()
	require.NoError(h.T, h.filters.Close())
	require.NoError(h.T, h.DB.Close())
	return h.filters.Stats()
}

func (h *history) reopen() {
	s := h.end()
	require.Zero(h.T, s.Rejected)
	h.open()
}

// check compares Readers with Get over all readers, in random ways to look a
// key up.
func (h *history) check() {
	restore := pointread.Fix(pointread.ByIndexFilters, pointread.ByUpperFilters, pointread.ByTableFilters)
	random := pebbleext.NewReader(h.DB, h.Keys.Comparer, pebbleext.WithResident(h.filters))
	restore()
	for name, reader := range map[string]pebble.Reader{
		"db": h.DB, "snapshot": h.Snapshot, "file-only snapshot": h.FileOnly, "batch": h.Batch,
	} {
		storetest.RequireAgree(h.T, name, reader, random.Over(reader), h.Keys.Keys)
	}
}
