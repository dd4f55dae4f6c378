package pointread

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const mi = 1 << 20

// TestRule: which way lookups take while few keys are absent, and while many are.
func TestRule(t *testing.T) {
	for _, c := range []struct {
		name      string
		filters   Filters
		few, many Way
		why       string // of many
	}{
		{"an empty store", Filters{Cache: 8 * mi}, Get, Tables, "all table filters (0.0 MiB)"},
		{"all filters fit", Filters{Cache: 9 * mi, Upper: 1 * mi, All: 6 * mi}, Get, Tables, "(6.0 MiB) fit"},
		{"those of L6 do not", Filters{Cache: 9 * mi, Upper: 1 * mi, All: 6*mi + 1}, Get, Get, "do not fit"},
		{"those of L0 to L5 do not", Filters{Cache: 8 * mi, Upper: 4*mi + 1, All: 9 * mi}, Get, Get, "do not fit"},
		{"index filters alone", Filters{Cache: 8 * mi, Lack: true, UpperLack: true, Index: true}, Index, Index, "index filters"},
		{"index filters alone, all in L6", Filters{Cache: 8 * mi, Lack: true, Index: true}, Get, Index, "index filters"},
		{"index filters beside those that fit", Filters{Cache: 8 * mi, Upper: 1 * mi, All: 4 * mi, Index: true}, Get, Tables, "all table filters"},
		{"index filters beside those that do not", Filters{Cache: 8 * mi, Upper: 5 * mi, All: 20 * mi, Index: true}, Index, Index, "index filters"},
		{"no filters", Filters{Cache: 8 * mi, Lack: true, UpperLack: true}, Get, Get, "lack"},
		{"none in L6", Filters{Cache: 8 * mi, Upper: 1 * mi, All: 1 * mi, Lack: true}, Get, Get, "lack"},
		{"in memory", Filters{Cache: 2 * mi, Upper: 2 * mi, All: 5 * mi, Resident: 8 * mi}, Index, Index, "in memory"},
		{"in memory beside those that fit", Filters{Cache: 8 * mi, Upper: 1 * mi, All: 4 * mi, Resident: 2 * mi}, Get, Index, "in memory"},
		{"little memory beside those that fit", Filters{Cache: 8 * mi, Upper: 1 * mi, All: 4 * mi, Resident: 2*mi - 1}, Get, Tables, "all table filters"},
	} {
		r := NewRule()
		r.SetFilters(c.filters)
		require.Equal(t, c.few, r.way(), c.name)
		r.misses.many.Store(true)
		require.Equal(t, c.many, r.way(), c.name)
		require.Contains(t, r.String(), c.why, c.name)
		require.True(t, strings.HasPrefix(r.String(), c.many.String()+": "), c.name)
	}
}

// TestRuleUntilFiltersAnswer: where table filters fit, they answer until those in
// memory do.
func TestRuleUntilFiltersAnswer(t *testing.T) {
	answering := false
	f := Filters{Cache: 9 * mi, Upper: 1 * mi, All: 6 * mi, Resident: 8 * mi, Answering: func() bool { return answering }}
	r := NewRule()
	r.SetFilters(f)
	require.Equal(t, Get, r.way())
	r.misses.many.Store(true)
	require.Equal(t, Tables, r.way())
	require.Contains(t, r.String(), "do not answer yet")
	answering = true
	require.Equal(t, Index, r.way())
	answering = false
	f.All = 6*mi + 1
	r.SetFilters(f)
	require.Equal(t, Index, r.way(), "table filters do not fit")
}

// TestRuleWhileWritten: where filters in memory answer for keys that are there, Get
// does so while the store is written.
func TestRuleWhileWritten(t *testing.T) {
	written := true
	f := Filters{Cache: 2 * mi, Upper: 2 * mi, All: 5 * mi, Resident: 8 * mi, Written: func() bool { return written }}
	r := NewRule()
	r.SetFilters(f)
	require.Equal(t, Get, r.way())
	require.Contains(t, r.String(), "the store is written")
	r.misses.many.Store(true)
	require.Equal(t, Index, r.way(), "filters in memory answer")
	r.misses.many.Store(false)
	written = false
	require.Equal(t, Index, r.way())
	written, f.UpperLack = true, true
	r.SetFilters(f)
	require.Equal(t, Index, r.way(), "Get has no filters")
}

// TestRuleIsFixed: what a store cannot do outlasts what its tables have.
func TestRuleIsFixed(t *testing.T) {
	r := NewRule()
	r.misses.many.Store(true)
	r.SetFilters(Filters{Cache: mi})
	require.Equal(t, Tables, r.way())
	r.OnlyGet("it cannot")
	r.SetFilters(Filters{Cache: mi})
	require.Equal(t, Get, r.way())
	require.Equal(t, "get: 0.0% of keys absent of late, it cannot", r.String())

	restore := Force(Index)
	forced := NewRule()
	restore()
	forced.SetFilters(Filters{Cache: mi})
	require.Equal(t, Index, forced.way())
	forced.OnlyGet("it cannot")
	require.Equal(t, Get, forced.way(), "not even in a test")
	require.Equal(t, Get, NewRule().way())
}

// TestMisses follows shares of absent keys that change: within 15,000 lookups from
// all to none, and within 300 the other way. It stays where the share does.
func TestMisses(t *testing.T) {
	var first misses
	for i := range 30 {
		first.count(fmt.Append(nil, i), true)
	}
	require.True(t, first.many.Load(), "a few keys tell at first")

	rng := rand.New(rand.NewPCG(1, 2))
	var m misses
	lookUp := func(lookups int, share float64) (many int) {
		for range lookups {
			if m.many.Load() {
				many++
			}
			m.count(fmt.Append(nil, rng.Uint64()), rng.Float64() < share)
		}
		return many
	}
	require.Zero(t, lookUp(20_000, 0), "it begins with none")
	require.Less(t, 20_000-lookUp(20_000, 1), 300)
	require.Less(t, lookUp(20_000, 0), 15_000)
	require.Less(t, 20_000-lookUp(20_000, 0.5), 600)
	require.Equal(t, 200_000, lookUp(200_000, 0.075), "five standard deviations above 3 %")
	lookUp(20_000, 0)
	require.Zero(t, lookUp(20_000, 0.015), "nine below 5 %")
}

// TestMissesWriteNothing while the share stays at an end.
func TestMissesWriteNothing(t *testing.T) {
	for _, missed := range []bool{false, true} {
		var m misses
		for i := range 100_000 {
			m.count(fmt.Append(nil, i), missed)
		}
		before := m.share.Load()
		m.share.Store(before)
		for i := range 1000 {
			m.count(fmt.Append(nil, i), missed)
			require.Equal(t, before, m.share.Load())
		}
		require.Equal(t, missed, m.many.Load())
		require.InDelta(t, map[bool]float64{true: 100, false: 0}[missed], m.percent(), 0.1)
	}
}
