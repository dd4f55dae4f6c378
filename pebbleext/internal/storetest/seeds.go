package storetest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

var (
	// Stress is how long tests of their choice last, 0 for a short while.
	Stress = flag.Duration("stress", 0,
		"run each metamorphic, fault and load test for this long, on fresh seeds, instead of on a few fixed ones")
	seed = flag.Uint64("seed", 0, "run metamorphic, fault and load tests on this seed alone")
)

// EachSeed runs a subtest on each of the first seeds, or on those that -stress
// and -seed ask for, up to the first failure. Its name has the seed, which
// repeats it as far as the scheduling of goroutines does not matter.
func EachSeed(t *testing.T, seeds uint64, test func(t *testing.T, seed uint64)) {
	run := func(s uint64) bool {
		return t.Run(fmt.Sprintf("seed=%d", s), func(t *testing.T) { test(t, s) })
	}
	switch {
	case *seed != 0:
		run(*seed)
	case *Stress > 0:
		for end := time.Now().Add(*Stress); time.Now().Before(end) && run(rand.Uint64()); {
		}
	default:
		for s := uint64(1); s <= seeds && run(s); s++ {
		}
	}
}

// PlanTexts are plans of every family and layout, and of combinations.
var PlanTexts = []string{
	"bloom:10",
	"bloom:10,layout=flat,scheme=classic",
	"twochoice:10",
	"twochoice:9,choices=4,layout=flat,rounds=3",
	"dense:10",
	"ribbon:7.5",
	"compressed:8",
	"bloom:16,max=1KiB",
	"L0-L3=twochoice:14;L4-L5=bloom:9.5;L6=ribbon:7",
	"L0-L5=dense:6;L6=dense:12.5,max=2KiB",
	"L0=none;L1-L5=compressed:12;L6=twochoice:8,choices=3",
	"none;index=8",
	"L0-L5=bloom:10;L6=none;index=4",
	"bloom:10;prefix=length:7",
	"none;index=8;prefix=length:5;range=6",
}

// RandomPlan has a random one of the policies of PlanTexts in each level, and
// filters in the index of each kind, of random bits or lengths, as often as
// not.
func RandomPlan(t testing.TB, rng *rand.Rand) pebbleext.Plan {
	var p pebbleext.Plan
	for level := range p.Levels {
		p.Levels[level] = ParsePlan(t, PlanTexts[rng.IntN(len(PlanTexts))]).Levels[level]
	}
	bits := func() int { return indexfilter.MinBits + rng.IntN(indexfilter.MaxBits-indexfilter.MinBits+1) }
	if rng.IntN(2) == 0 {
		p.Index = bits()
	}
	if rng.IntN(2) == 0 {
		p.Range = bits()
	}
	if rng.IntN(2) == 0 {
		p.Prefix = indexfilter.FixedLength(5 + rng.IntN(3))
	}
	return p
}

// ParsePlan returns the plan of a text that is right.
func ParsePlan(t testing.TB, text string) pebbleext.Plan {
	t.Helper()
	p, err := pebbleext.ParsePlan(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
