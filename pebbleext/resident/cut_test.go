package resident

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

// cuttable is a policy whose blocks can be cut.
func cuttable(t testing.TB) pebble.FilterPolicy {
	policy, err := filterpolicy.Parse("ribbon:10")
	require.NoError(t, err)
	return policy
}

// testTable is what a table has of its filter.
type testTable struct {
	keys     [][]byte
	property []byte
	block    []byte
}

// write hands a table's filter over, with the prefixes of eight bytes.
func write(t testing.TB, f *Filters, p pebble.FilterPolicy, keys [][]byte) testTable {
	e := indexfilter.FixedLength(8)
	w := policy{p, f, e}.NewWriter(pebble.TableFilter)
	c := &collector{filters: f, split: pebble.DefaultComparer.EnsureDefaults().Split}
	for _, key := range keys {
		w.AddKey(key)
		require.NoError(t, c.AddPointKey(pebble.InternalKey{UserKey: key}, nil))
	}
	block := slices.Clone(w.Finish(nil))
	property, err := c.FinishTable(nil)
	require.NoError(t, err)
	return testTable{keys, property, block}
}

// passes returns how many of the keys a table's filter passes, and their
// prefixes.
func (table testTable) passes(t testing.TB, f *Filters, keys [][]byte) (passed, prefixes int) {
	for _, key := range keys {
		if mayHave(t, f, key, table.property) {
			passed++
		}
		q := f.PrefixQuery(indexfilter.FixedLength(8), key)
		if may, err := q.Intersects(table.property); may {
			require.NoError(t, err)
			prefixes++
		}
	}
	return passed, prefixes
}

// writtenTables are tables of 1000, 2000 … keys.
func writtenTables(t testing.TB, f *Filters, n int) (tables []testTable) {
	for i := range n {
		tables = append(tables, write(t, f, cuttable(t), keys(i*100_000, 1000*(i+1))))
	}
	return tables
}

// TestCutFilters gives filters less and less memory and then none: each has some
// bits as long as there are some, none of its keys is hidden, and so many others
// pass as its bits tell. A rate has 6 standard deviations of room, 10^-8.
func TestCutFilters(t *testing.T) {
	f := newTestFilters(t)
	f.active.Store(true)
	tables := writtenTables(t, f, 5)
	absent := keys(900_000, 10_000)
	for _, table := range tables {
		table.passes(t, f, absent) // all tables are asked as often
	}
	f.count(time.Second)
	for _, budget := range []int64{1 << 20, 18_000, 14_000, 10_000, 6_000} {
		require.NoError(t, f.SetBudget(budget))
		s := f.Stats()
		require.LessOrEqual(t, s.Used, budget)
		require.Equal(t, len(tables), s.Filters, budget)
		if budget < 1<<20 {
			require.Greater(t, s.Used, budget-budget/10)
		}
		for i, table := range tables {
			passed, prefixes := table.passes(t, f, table.keys)
			require.Equal(t, len(table.keys), passed)
			require.Equal(t, len(table.keys), prefixes)
			e := f.directory.find(identity(table.property[:identitySize]))
			passed, _ = table.passes(t, f, absent)
			rate := e.rate()
			require.InDelta(t, rate, float64(passed)/float64(len(absent)), 6*math.Sqrt(rate/float64(len(absent)))+1e-3,
				"table %d with %v bits", i, e.mu.bits)
		}
	}
	require.Positive(t, f.Stats().Cut)
	require.NoError(t, f.SetBudget(0))
	require.Zero(t, f.Stats().Used)
}

// TestNextBit holds what one more bit would save against what passes: half of
// it. Of 50,000 keys, all counted, one in fifty passes: six standard deviations
// are 20 %.
func TestNextBit(t *testing.T) {
	f := newTestFilters(t)
	f.active.Store(true)
	tables := writtenTables(t, f, 5)
	absent := keys(900_000, 10_000)
	askAll := func() {
		for _, table := range tables {
			e := f.directory.find(identity(table.property[:identitySize]))
			e.mu.level, e.mu.tables = 6, 1
			table.passes(t, f, absent)
		}
		f.count(time.Minute)
	}
	askAll()
	require.Zero(t, f.Stats().Levels[6].NextBit, "all bits are in memory")
	require.NoError(t, f.SetBudget(14_000))
	before := f.Stats().Levels[6]
	askAll()
	after := f.Stats().Levels[6]
	passed := float64(after.Answered-after.Denied-before.Answered+before.Denied) / float64(after.Answered-before.Answered)
	require.InEpsilon(t, 1000*passed/2, after.NextBit, 0.2)
}

// TestGrow puts a cut filter's whole block again: it gets the bits that there is
// memory for, and no fewer than it has.
func TestGrow(t *testing.T) {
	f := newTestFilters(t)
	f.active.Store(true)
	table := writtenTables(t, f, 1)[0]
	e := f.directory.find(identity(table.property[:identitySize]))
	whole := e.mu.bits
	require.InDelta(t, e.mu.most, whole, 0.1)
	table.passes(t, f, keys(900_000, 1000))
	f.count(time.Second)
	require.NoError(t, f.SetBudget(1200))
	few := e.mu.bits
	require.Less(t, few, whole/2)
	require.NoError(t, f.SetBudget(1600))
	require.Equal(t, few, e.mu.bits, "there is only what is in memory")
	place := func(block []byte) bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.place(e, block)
	}
	require.True(t, place(table.block))
	require.Greater(t, e.mu.bits, few)
	require.False(t, place(table.block), "there is no more memory")
	less, err := blockfilter.Cut(nil, table.block, 2)
	require.NoError(t, err)
	require.False(t, place(less))
	require.NoError(t, f.SetBudget(1<<20))
	require.True(t, place(table.block))
	require.Equal(t, whole, e.mu.bits)
	require.Equal(t, table.block, e.bytes(e.block.Load()))
	passed, _ := table.passes(t, f, table.keys)
	require.Equal(t, len(table.keys), passed)
}

// TestWorthLoading: filters are loaded that lack bits which pay, those that save
// most for each byte first, and none that lack a little or that nobody asks.
func TestWorthLoading(t *testing.T) {
	f := newTestFilters(t)
	f.active.Store(true)
	tables := writtenTables(t, f, 4)
	var filters []*filter
	for i, table := range tables {
		e := f.directory.find(identity(table.property[:identitySize]))
		e.mu.tables = 1
		filters = append(filters, e)
		if i > 0 {
			table.passes(t, f, keys(900_000, 1000*i*i*i*i))
		}
	}
	require.Empty(t, f.count(time.Second), "they have all bits")
	require.NoError(t, f.SetBudget(filterBytes*5))
	require.Zero(t, f.Stats().Filters)
	f.mu.budget = 1 << 20
	wanted := f.count(time.Second)
	require.Equal(t, []*filter{filters[3], filters[2], filters[1]}, wanted)
	filters[3].mu.retry = f.mu.turn + 100
	require.NotContains(t, f.count(time.Second), filters[3], "it could not be read")
}

// TestNobodyAsksForAbsentKeys: filters that only answer "maybe" give their memory
// to others.
func TestNobodyAsksForAbsentKeys(t *testing.T) {
	f := newTestFilters(t)
	f.active.Store(true)
	tables := writtenTables(t, f, 2)
	for range 50 {
		tables[0].passes(t, f, tables[0].keys)
		tables[1].passes(t, f, keys(900_000, 1000))
	}
	f.count(time.Second)
	require.NoError(t, f.SetBudget(3*filterBytes+2500))
	present, absent := f.directory.find(identity(tables[0].property[:identitySize])), f.directory.find(identity(tables[1].property[:identitySize]))
	require.Greater(t, absent.mu.bits, present.mu.bits+3)
	levels := f.Stats()
	require.Zero(t, levels.Levels[6].Known, "of a level that is unknown")
}

// TestQueriesWhileFiltersAreCut asks filters from four goroutines, while others
// change the budget and put blocks again: no key is hidden.
func TestQueriesWhileFiltersAreCut(t *testing.T) {
	f := newTestFilters(t)
	f.active.Store(true)
	tables := writtenTables(t, f, 6)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for g := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 0))
			for {
				select {
				case <-stop:
					return
				default:
				}
				table := tables[rng.IntN(len(tables))]
				key := table.keys[rng.IntN(len(table.keys))]
				if !mayHave(t, f, key, table.property) {
					t.Errorf("%s is hidden", key)
				}
				mayHave(t, f, fmt.Appendf(nil, "absent%d", rng.Uint32()), table.property)
			}
		})
	}
	rng := rand.New(rand.NewPCG(9, 0))
	for turn := range 60 {
		if turn%3 == 0 {
			require.NoError(t, f.SetBudget(int64(4000+rng.IntN(24_000))))
		}
		f.count(time.Millisecond)
		f.mu.Lock()
		for _, table := range tables {
			if e := f.directory.find(identity(table.property[:identitySize])); e != nil {
				f.place(e, table.block)
			}
		}
		f.mu.Unlock()
		s := f.Stats()
		require.LessOrEqual(t, s.Used, s.Budget)
		time.Sleep(time.Millisecond)
	}
	close(stop)
	wg.Wait()
	require.Positive(t, f.Stats().Cut)
	require.Positive(t, f.Stats().Denied)
}
