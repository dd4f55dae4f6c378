package pointread

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var allWays = []Way{ByTableFilters, ByIndexFilters, ByUpperFilters, ByGet}

var options = Options{Compare: bytes.Compare}

// world is what lookups cost in a store that does not exist, so that choices
// can be judged by the best that there was.
type world struct {
	rng      *rand.Rand
	missRate float64
	price    func(w *world, way Way, miss bool) float64
	cached   float64 // share of all filters in the cache
}

// run makes lookups and returns their mean price, and how many went each way.
func (w *world) run(c *chooser, lookups int) (price float64, ways [numWays]int) {
	for range lookups {
		way, measure := c.choose(w.rng.Uint32())
		miss := w.rng.Float64() < w.missRate
		// A third is for sure, the rest is as random as chance makes reads. Now
		// and then another process has the processor.
		x := w.price(w, way, miss) * (0.3 + 0.7*w.rng.ExpFloat64())
		price += x / float64(lookups)
		ways[way]++
		if !measure {
			continue
		}
		measured := cost{time: x / 4, bytes: x * 3 / 4}
		if way == ByGet {
			measured.bytes = 0
		}
		if w.rng.IntN(3000) == 0 {
			measured.time += 4e6
		}
		c.record(nil, way, miss, measured)
	}
	return price, ways
}

// fixedPrices are those of ways whose lookups change nothing in the cache.
func fixedPrices(miss, hit [numWays]float64) func(*world, Way, bool) float64 {
	return func(_ *world, way Way, isMiss bool) float64 {
		if isMiss {
			return miss[way]
		}
		return hit[way]
	}
}

// Prices in the order of ways.
var (
	filtersFit      = [numWays]float64{ByGet: 30e3, ByIndexFilters: 30e3, ByUpperFilters: 20e3, ByTableFilters: 3e3}
	filtersDoNotFit = [numWays]float64{ByGet: 800e3, ByIndexFilters: 15e3, ByUpperFilters: 900e3, ByTableFilters: 1500e3}
	upperFit        = [numWays]float64{ByGet: 19e3, ByIndexFilters: 25e3, ByUpperFilters: 13e3, ByTableFilters: 300e3}
	present         = [numWays]float64{ByGet: 15e3, ByIndexFilters: 26e3, ByUpperFilters: 24e3, ByTableFilters: 20e3}
)

// TestChooserFindsTheBestWay: soon nearly all lookups cost as little as those
// of the best way.
func TestChooserFindsTheBestWay(t *testing.T) {
	for name, c := range map[string]struct {
		miss, hit [numWays]float64
		missRate  float64
	}{
		"filters fit":             {filtersFit, present, 1},
		"filters do not fit":      {filtersDoNotFit, filtersDoNotFit, 1},
		"upper filters fit":       {upperFit, present, 1},
		"all keys are present":    {filtersFit, present, 0},
		"some keys are present":   {filtersFit, present, 0.5},
		"most keys are present":   {filtersFit, present, 0.05},
		"filters cost too much":   {filtersDoNotFit, filtersDoNotFit, 0},
		"one key in ten is there": {upperFit, present, 0.9},
	} {
		for _, first := range allWays {
			t.Run(fmt.Sprintf("%s, from %d", name, first), func(t *testing.T) {
				w := &world{rng: rand.New(rand.NewPCG(1, uint64(first))), missRate: c.missRate, price: fixedPrices(c.miss, c.hit)}
				best := 1e18
				for _, way := range allWays {
					best = min(best, c.missRate*c.miss[way]+(1-c.missRate)*c.hit[way])
				}
				chooser := newChooser(first, allWays, options)
				w.run(chooser, 50_000)
				price, ways := w.run(chooser, 50_000)
				require.LessOrEqual(t, price, 1.15*best, "%v", ways)
			})
		}
	}
}

// TestTrialsAreCheap: whatever ways cost, trials cost their share, beyond those
// that a chooser begins with. All ways but the best read a megabyte a lookup.
func TestTrialsAreCheap(t *testing.T) {
	prices := [numWays]float64{ByGet: 1e6, ByIndexFilters: 10e3, ByUpperFilters: 1e6, ByTableFilters: 1e6}
	w := &world{rng: rand.New(rand.NewPCG(2, 0)), missRate: 1, price: fixedPrices(prices, prices)}
	c := newChooser(ByTableFilters, allWays, options)
	begin, ways := w.run(c, 1000)
	require.Less(t, begin*1000, 150e6, "a few lookups begin, %v", ways)
	price, ways := w.run(c, 200_000)
	require.Less(t, price, (1+trialShare)*10e3*1.03, "%v", ways)
}

// TestTrialsOfSlowReads: a way whose lookups wait for a request of 60 ms each is
// tried for a few lookups.
func TestTrialsOfSlowReads(t *testing.T) {
	c := newChooser(ByIndexFilters, []Way{ByIndexFilters, ByGet}, options)
	rng := rand.New(rand.NewPCG(7, 0))
	slow := 0
	for range 200_000 {
		way, measure := c.choose(rng.Uint32())
		x := cost{time: 3e3 * (0.5 + rng.Float64())}
		if way == ByGet {
			x.time = 60e6
			slow++
		}
		if measure {
			c.record(nil, way, true, x)
		}
	}
	require.Positive(t, slow)
	require.LessOrEqual(t, slow, 4)
}

// TestChooserFollowsChanges: when the cost of ways or the share of misses
// changes, so does the way, soon.
func TestChooserFollowsChanges(t *testing.T) {
	w := &world{rng: rand.New(rand.NewPCG(3, 0))}
	c := newChooser(ByTableFilters, allWays, options)
	for _, phase := range []struct {
		missRate  float64
		miss, hit [numWays]float64
		best      float64
	}{
		{1, filtersFit, present, 3e3},
		{1, filtersDoNotFit, filtersDoNotFit, 15e3}, // as when the store grows
		{0, filtersDoNotFit, filtersDoNotFit, 15e3},
		{0, upperFit, present, 15e3},
		{1, upperFit, present, 13e3},
		{1, filtersFit, present, 3e3},
		{0, filtersFit, present, 15e3},
	} {
		w.missRate, w.price = phase.missRate, fixedPrices(phase.miss, phase.hit)
		w.run(c, 50_000)
		price, ways := w.run(c, 50_000)
		require.LessOrEqual(t, price, 1.15*phase.best, "%+v %v", phase, ways)
	}
}

// TestChooserFillsTheCache: filters that fit are worth their reads, but the
// first lookups pay for them, and other lookups drive them out.
func TestChooserFillsTheCache(t *testing.T) {
	const blocks, block = 10, 500e3
	for _, first := range allWays {
		w := &world{rng: rand.New(rand.NewPCG(4, uint64(first))), missRate: 1}
		w.price = func(w *world, way Way, _ bool) float64 {
			if way != ByTableFilters {
				if w.rng.IntN(3000) == 0 {
					w.cached = max(w.cached-1.0/blocks, 0)
				}
				return 40e3
			}
			price := 3e3
			for range 4 { // levels
				if w.rng.Float64() > w.cached {
					price += block
					w.cached = min(w.cached+1.0/blocks, 1)
				}
			}
			return price
		}
		c := newChooser(first, allWays, options)
		w.run(c, 100_000)
		price, ways := w.run(c, 50_000)
		require.Less(t, price, 4e3, "from %d: %v", first, ways)
	}
}

// TestPartOfTheFilters: where upper filters of a part of the keys fit in the
// cache and those of all do not, that part is looked up by them.
func TestPartOfTheFilters(t *testing.T) {
	for best := ByIndexFilters + 1; best < ByUpperFilters; best++ {
		rng := rand.New(rand.NewPCG(5, uint64(best)))
		c := newChooser(ByTableFilters, WaysOf(true), options)
		prices := [numWays]float64{ByGet: 42e3, ByTableFilters: 300e3}
		for way := ByIndexFilters; way <= ByUpperFilters; way++ {
			prices[way] = 40e3 - 4e3*float64(min(way, best)-ByIndexFilters) + 8e3*float64(max(way, best)-best)
		}
		const lookups, counted = 400_000, 100_000
		upper, paid := 0, 0.
		for i := range lookups {
			key := binary.BigEndian.AppendUint16(nil, uint16(rng.Uint32()))
			chosen, _ := c.choose(rng.Uint32())
			if i >= lookups-counted {
				paid += prices[chosen] / counted
				if c.wayOf(key, chosen) == ByUpperFilters {
					upper++
				}
			}
			c.record(key, chosen, true, cost{time: prices[chosen] * (0.5 + rng.Float64())})
		}
		require.LessOrEqual(t, paid, 1.15*prices[best], best)
		require.InDelta(t, float64(best-ByIndexFilters)/parts, float64(upper)/counted, 0.2, best)
		settled := c.settled()
		for _, key := range [][]byte{{0, 0}, {255, 255}} {
			chosen, _ := settled.choose(rng.Uint32())
			require.Equal(t, c.best, chosen)
			require.Equal(t, c.wayOf(key, chosen), settled.wayOf(key, chosen))
		}
	}
}

// TestWaysOfTheStore: a chooser takes no way that its store cannot be read in.
func TestWaysOfTheStore(t *testing.T) {
	w := &world{rng: rand.New(rand.NewPCG(8, 0)), missRate: 1, price: fixedPrices(upperFit, present)}
	_, ways := w.run(newChooser(ByTableFilters, WaysOf(false), options), 100_000)
	for way, lookups := range ways {
		require.Equal(t, slices.Contains(WaysOf(false), Way(way)), lookups > 0, Way(way))
	}
	require.Greater(t, ways[ByUpperFilters], 90_000)
}

// TestSlowStart: a first lookup that waited long for a processor does not keep a
// chooser in an expensive way.
func TestSlowStart(t *testing.T) {
	prices := [numWays]float64{ByGet: 20e3, ByIndexFilters: 12e3, ByUpperFilters: 13e3, ByTableFilters: 280e3}
	for seed := range uint64(20) {
		w := &world{rng: rand.New(rand.NewPCG(10, seed)), missRate: 1, price: fixedPrices(prices, prices)}
		c := newChooser(ByTableFilters, allWays, options)
		c.record(nil, ByTableFilters, true, cost{time: 80e6})
		_, ways := w.run(c, 20_000)
		require.Less(t, ways[ByTableFilters], 200, "%v", ways)
	}
}

// TestEstimates: a price is less than another if the difference is not chance.
func TestEstimates(t *testing.T) {
	of := func(price float64, lookups int) estimate {
		var c costs
		for i := range lookups { // half of them cost nothing, so the deviation is the price
			c.of(true).add(cost{time: 2 * price * float64(i%2)})
		}
		return c.estimate(1)
	}
	e := of(20, 128)
	require.InDelta(t, 20, e.price, 0.1)
	require.InDelta(t, 20*20/128., e.variance, 0.1)
	for _, c := range []struct {
		price   float64
		lookups int
		want    bool
	}{{10, 2, false}, {10, 128, true}, {18, 128, false}, {20, 128, false}, {30, 128, false}, {0, 0, false}} {
		require.Equal(t, c.want, of(c.price, c.lookups).isLess(e), c)
	}
}

// TestResidentFilters: where filters in memory answer, the block cache is left
// alone, and what rare false positives read in other ways is not found out.
func TestResidentFilters(t *testing.T) {
	resident := options
	resident.Resident = true
	for _, first := range allWays {
		w := &world{rng: rand.New(rand.NewPCG(6, uint64(first))), missRate: 1}
		w.price = func(w *world, way Way, _ bool) float64 {
			switch {
			case way == ByGet:
				return 30e3
			case way != ByIndexFilters && w.rng.IntN(500) == 0:
				return 235e3
			}
			return 600
		}
		c := newChooser(first, allWays, resident)
		w.run(c, 50_000)
		price, ways := w.run(c, 50_000)
		require.Less(t, price, 610.0, "from %d: %v", first, ways)
	}
}

// TestLateSamplesAreDropped: those of a way that is no longer tried, and those
// that come at once.
func TestLateSamplesAreDropped(t *testing.T) {
	c := newChooser(ByTableFilters, allWays, options)
	before := *c.trial
	c.record(nil, ByIndexFilters, true, cost{time: 1})
	require.Equal(t, before, *c.trial)
	c.mu.Lock()
	c.record(nil, ByTableFilters, true, cost{time: 1})
	require.Equal(t, before, *c.trial)
	c.mu.Unlock()
	c.record(nil, ByTableFilters, true, cost{time: 1})
	require.EqualValues(t, 1, c.trial.lookups)
}

// TestFix: tests get the ways that they want, if the store has them.
func TestFix(t *testing.T) {
	restore := Fix(ByIndexFilters, ByGet)
	for _, c := range []struct {
		ways []Way
		want []Way
	}{
		{[]Way{ByGet, ByTableFilters}, []Way{ByGet}},
		{[]Way{ByIndexFilters, ByTableFilters}, []Way{ByIndexFilters}},
	} {
		chooser := newChooser(ByTableFilters, c.ways, options)
		for range 100 {
			way, measure := chooser.choose(rand.Uint32())
			require.Contains(t, c.want, way)
			require.False(t, measure)
		}
	}
	restore()
	way, measure := newChooser(ByTableFilters, allWays, options).choose(1)
	require.Equal(t, ByTableFilters, way)
	require.True(t, measure)
}

// TestFixAround: the border of parts is that of the test.
func TestFixAround(t *testing.T) {
	restore := FixAround([]byte("m"), HalfByUpperFilters)
	chooser := newChooser(ByTableFilters, WaysOf(true), options)
	restore()
	for key, want := range map[string]Way{"a": ByUpperFilters, "m": ByUpperFilters, "n": ByIndexFilters} {
		l := chooser.lookUp([]byte(key))
		require.Equal(t, want, l.way, key)
	}
}
