package tuner

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/hotkeys"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// newTunedStore opens a store with a Tuner that goes where it wants in one
// step.
func newTunedStore(t *testing.T, plan string, edit func(*Settings)) (*pebble.DB, *Tuner) {
	settings := Settings{Budget: levelplan.Budget{Bytes: 4 << 10}, MaxStep: 100}
	if edit != nil {
		edit(&settings)
	}
	var tuner *Tuner
	db := storetest.New(t, func(opts *pebble.Options) {
		opts.DisableAutomaticCompactions = true
		var err error
		tuner, err = New(opts, storetest.ParsePlan(t, plan), settings)
		require.NoError(t, err)
	})
	return db, tuner
}

// filterBytes returns the size of a store's filter blocks.
func filterBytes(t *testing.T, db *pebble.DB) (n int64) {
	levels, err := db.SSTables(pebble.WithProperties())
	require.NoError(t, err)
	for _, tables := range levels {
		for _, table := range tables {
			require.Equal(t, filterpolicy.Name, table.Properties.FilterPolicyName)
			n += int64(table.Properties.FilterSize)
		}
	}
	return n
}

// TestTunerKeepsToTheBudget: from too many bits, and from none, compactions
// bring the filters to the budget.
func TestTunerKeepsToTheBudget(t *testing.T) {
	const keys = 3000
	for _, plan := range []string{"bloom:40,layout=flat", "none"} {
		var events []Event
		db, tuner := newTunedStore(t, plan, func(s *Settings) {
			s.Event = func(e Event) { events = append(events, e) }
		})
		require.Equal(t, plan, tuner.Plan().String())
		written := storetest.Fill(t, db, keys, 10)
		before := filterBytes(t, db)
		if plan == "none" {
			require.Zero(t, before)
		} else {
			require.Greater(t, before, int64(4<<10))
		}

		e := tuner.Tune(db)
		require.NoError(t, e.Err)
		require.True(t, e.Changed)
		require.Equal(t, []Event{e}, events)
		require.Equal(t, plan, e.Current.String())
		require.Equal(t, e.Target.String(), e.Next.String())
		require.Equal(t, e.Next.String(), tuner.Plan().String())
		require.Equal(t, before, filterBytes(t, db), "tables that exist stay")

		for i, key := range written {
			require.NoError(t, db.Set(key, []byte{byte(i)}, nil))
		}
		storetest.CompactAll(t, db, []byte("a"), []byte("z"))
		after := filterBytes(t, db)
		require.Positive(t, after)
		require.InEpsilon(t, e.After.Bytes, after, 0.1)
		require.Less(t, after, int64(4<<10)*11/10)

		r := pebbleext.NewReader(db, nil)
		require.Positive(t, storetest.Queries(db, func() {
			for i, key := range written {
				value, err := storetest.Get(t, r, key)
				require.NoError(t, err)
				require.Equal(t, []byte{byte(i)}, value)
				has, err := r.Has(key) // asks the filters of L6 always
				require.NoError(t, err)
				require.True(t, has)
			}
		}))
		for range 2 { // the values' size has changed, and so have the tables
			e = tuner.Tune(db)
			require.NoError(t, e.Err)
		}
		require.False(t, e.Changed, "there is nothing to gain: %v", e)
	}
}

// TestTunerTakesSteps: a level changes by MaxStep at a time until it is there.
func TestTunerTakesSteps(t *testing.T) {
	db, tuner := newTunedStore(t, "twochoice:2,choices=3", func(s *Settings) {
		s.MaxStep = 3
		s.Budget.Upper, s.Budget.Lower = "bloom", "bloom"
	})
	storetest.Fill(t, db, 3000, 10)
	for _, want := range []string{"bloom:5", "bloom:8"} {
		e := tuner.Tune(db)
		require.NoError(t, e.Err)
		require.True(t, e.Changed)
		require.Equal(t, want, e.Next.String())
	}
	e := tuner.Tune(db)
	require.NoError(t, e.Err)
	require.Equal(t, e.Target.String(), e.Next.String(), "%+v", e)
}

func TestTowards(t *testing.T) {
	for _, c := range []struct{ from, to, next string }{
		{"bloom:10", "bloom:11", "bloom:11"},
		{"bloom:10", "bloom:14.5", "bloom:12"},
		{"bloom:10.3", "bloom:2", "bloom:8.3"},
		{"bloom:10", "ribbon:20,max=1MiB", "ribbon:12,max=1MiB"},
		{"bloom:10,k=3", "none", "bloom:8,k=3"},
		{"bloom:1.5", "none", "none"},
		{"ribbon:2.5", "none", "none"}, // ribbons have 1 bit at least
		{"none", "bloom:10", "bloom:2"},
		{"none", "none", "none"},
		{"bloom:1%", "bloom:20", "bloom:11.9"},
	} {
		from, to := storetest.ParsePlan(t, c.from), storetest.ParsePlan(t, c.to)
		require.Equal(t, c.next, pebbleext.Uniform(towards(from.Levels[0], to.Levels[0], 2)).String(), "%+v", c)
	}
}

func TestTunerDryRun(t *testing.T) {
	db, tuner := newTunedStore(t, "bloom:40", func(s *Settings) { s.DryRun = true })
	storetest.Fill(t, db, 3000, 10)
	e := tuner.Tune(db)
	require.NoError(t, e.Err)
	require.True(t, e.Changed)
	require.NotEqual(t, "bloom:40", e.Next.String())
	require.Equal(t, "bloom:40", tuner.Plan().String())
}

func TestTunerErrors(t *testing.T) {
	settings := Settings{Budget: levelplan.Budget{Bytes: 1 << 20}}
	for wrong, edit := range map[string]func(*Settings){
		"more than 0 bytes, not -1": func(s *Settings) { s.Budget.Bytes = -1 },
		"interval is more than 0":   func(s *Settings) { s.Interval = -1 },
		"least gain is above 0":     func(s *Settings) { s.MinGain = 1 },
		"largest step is above 0":   func(s *Settings) { s.MaxStep = -1 },
	} {
		s := settings
		edit(&s)
		_, err := New(&pebble.Options{}, pebbleext.Plan{}, s)
		require.ErrorContains(t, err, wrong)
	}
	_, err := New(nil, pebbleext.Plan{}, settings)
	require.ErrorContains(t, err, "needs the options")
	_, err = New(&pebble.Options{}, pebbleext.Uniform(bloom.FilterPolicy(10)), settings)
	require.ErrorContains(t, err, "L0: a tuner cannot change to rocksdb.BuiltinBloomFilter and back")

	db, tuner := newTunedStore(t, "bloom:10", func(s *Settings) { s.Budget.Bytes = 10 })
	e := tuner.Tune(db)
	require.NoError(t, e.Err, "an empty store")
	require.False(t, e.Changed)
	storetest.Fill(t, db, 3000, 10)
	e = tuner.Tune(db)
	require.ErrorContains(t, e.Err, "too small")
	require.Equal(t, "bloom:10", tuner.Plan().String())
}

// TestTunerKeepsFiltersInTheIndex: every plan has those of the first, which an
// open store goes on writing.
func TestTunerKeepsFiltersInTheIndex(t *testing.T) {
	const inIndex = ";index=8;prefix=length:4;range=7"
	db, tuner := newTunedStore(t, "bloom:40"+inIndex, nil)
	storetest.Fill(t, db, 3000, 10)
	require.Equal(t, "bloom:40"+inIndex, tuner.Plan().String())
	e := tuner.Tune(db)
	require.NoError(t, e.Err)
	require.True(t, e.Changed)
	for _, plan := range []pebbleext.Plan{e.Current, e.Target, e.Next, tuner.Plan()} {
		require.Contains(t, plan.String(), inIndex)
	}
}

// TestWeigh: Asked follows the queries in vain, of which the levels' shape
// decides the sum, is corrected for tables without filters, and is remembered.
func TestWeigh(t *testing.T) {
	shape := levelplan.Shape{Levels: []levelplan.LevelShape{
		{Level: 0, Keys: 100, Coverage: 0.5}, {Level: 0, Keys: 100, Coverage: 0.5},
		{Level: 5, Keys: 1000}, {Level: 6, Keys: 10_000},
	}}
	asked := func(s levelplan.Shape) (asked []float64) {
		for _, l := range s.Levels {
			if l.Asked == nil {
				asked = append(asked, -1)
			} else {
				asked = append(asked, *l.Asked)
			}
		}
		return asked
	}
	all := levelShares{1, 1, 1, 1, 1, 1, 1}
	stats := []filterpolicy.LevelStats{
		{Level: 0, Skips: 600_000}, {Level: 5, Skips: 270_000, Tests: 10, FalsePositives: 1}, {Level: 6, Skips: 300_000},
		{Level: -1, Skips: 1 << 40},
	}
	var o observer
	weigh := func(o *observer, reads levelplan.Reads, stats []filterpolicy.LevelStats, filtered levelShares) levelplan.Shape {
		s, err := o.weigh(shape, reads, stats, filtered)
		require.NoError(t, err)
		return s
	}
	unseen := [4]float64{-1, -1, -1, -1}
	require.Equal(t, unseen[:], asked(weigh(&o, levelplan.Reads{}, nil, all)), "nothing is known")
	require.InDeltaSlice(t, []float64{0.75, 0.75, 0.75, 0.75}, asked(weigh(&o, levelplan.Reads{}, stats, all)), 1e-9)
	require.InDeltaSlice(t, []float64{0.75, 0.75, 0.75, 0.75}, asked(weigh(&o, levelplan.Reads{}, stats, all)), 1e-9, "no news")

	stats[1].Skips += 90_000
	stats[2].Skips += 50_000
	half := all
	half[0], half[6] = 0, 0.5 // and L0 is forgotten
	require.InDeltaSlice(t, []float64{0.75, 0.75, 1, 1}, asked(weigh(&o, levelplan.Reads{}, stats, half)), 1e-9)

	stats[2].Skips += 1 << 40
	got := asked(weigh(&o, levelplan.Reads{}, stats, half))
	require.InDelta(t, 1.0/mostSkew, got[2], 1e-9, "bounded")
	var get observer
	require.EqualValues(t, -1, asked(weigh(&get, levelplan.Reads{Get: true}, stats, all))[3], "nobody asks L6")
}

// TestTunerFollowsTheLoad: lookups of keys of the upper level's range alone
// move memory there.
func TestTunerFollowsTheLoad(t *testing.T) {
	var counter *filterpolicy.Counter
	var tuner *Tuner
	db := storetest.New(t, func(opts *pebble.Options) {
		opts.DisableAutomaticCompactions = true
		counter = pebbleext.CountQueries(opts)
		var err error
		tuner, err = New(opts, storetest.ParsePlan(t, "bloom:10"), Settings{
			Budget: levelplan.Budget{Bytes: 4 << 10}, Counter: counter, DryRun: true,
		})
		require.NoError(t, err)
	})
	keys := storetest.Fill(t, db, 3000, 10) // L6
	for _, i := range []int{0, 1000, 1001, len(keys) - 1} {
		require.NoError(t, db.Set(keys[i], []byte("new"), nil))
	}
	require.NoError(t, db.Flush()) // a level above
	first := tuner.Tune(db)
	require.NoError(t, first.Err)
	require.Nil(t, first.Shape.Levels[0].Asked)

	for i := range 300_000 { // pebble.DB.Get asks no filter of L6
		_, _, err := db.Get(append(keys[1+i%2900], byte(i), byte(i>>8), byte(i>>16)))
		require.ErrorIs(t, err, pebble.ErrNotFound)
	}
	e := tuner.Tune(db)
	require.NoError(t, e.Err)
	upper, lower := e.Shape.Levels[0], e.Shape.Levels[len(e.Shape.Levels)-1]
	require.EqualValues(t, 6, lower.Level)
	require.Greater(t, *upper.Asked, 3**lower.Asked)
	require.NotEmpty(t, counter.Stats())
}

// TestTunerSoak reads and writes a store, under the race detector if asked,
// while a Tuner changes its plan, and other plans come at random. It lasts as
// long as the flag -stress says.
func TestTunerSoak(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	var changes, failures atomic.Int64
	opts := storetest.SoakOptions(vfs.NewMem())
	counter := pebbleext.CountQueries(opts)
	tuner, err := New(opts, storetest.ParsePlan(t, "none"), Settings{
		Budget:   levelplan.Budget{Bytes: 4 << 10},
		Counter:  counter,
		Interval: 20 * time.Millisecond,
		MinGain:  1e-3,
		Event: func(e Event) {
			if e.Changed {
				changes.Add(1)
			}
			if e.Err != nil && failures.Add(1) == 1 {
				t.Log(e.Err)
			}
		},
	})
	require.NoError(t, err)
	s := &storetest.Soak{DB: storetest.Open(t, "", opts), Ledger: make(storetest.Ledger, 3000)}
	hot, err := hotkeys.New(0.01)
	require.NoError(t, err)
	reader := pebbleext.NewReader(s.DB, nil, pebbleext.WithAbsentKeys(hot.Add))

	length := max(*storetest.Stress, 4*time.Second)
	ctx, stop := context.WithTimeout(context.Background(), length)
	defer stop()
	s.Load(t, reader, length, 7,
		func(*rand.Rand) error {
			tuner.Run(ctx, s.DB)
			return nil
		},
		func(rng *rand.Rand) error {
			time.Sleep(50 * time.Millisecond)
			return tuner.install(storetest.RandomPlan(t, rng))
		})

	require.Greater(t, s.Queries, int64(1000), "filters are asked")
	require.Positive(t, changes.Load())
	require.NotEmpty(t, counter.Stats())
	require.Positive(t, hot.Total())
	t.Logf("%d lookups, %d queries, %d plans by the tuner, %d without a plan",
		s.Lookups.Load(), s.Queries, changes.Load(), failures.Load())
	storetest.RequireGoroutines(t, goroutines)
}
