package levelplan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
)

// Budget is the memory for the filters of a store, and how to spend it.
type Budget struct {
	// Bytes is the size of all filter blocks together.
	Bytes int64
	// MaxBlock is the most bytes of one block, 0 for no limit. A block should
	// be well below a shard of the block cache, or loading it evicts much else.
	MaxBlock int
	// Family is that of the policies, such as bloom. Empty, it is DefaultFamily.
	Family string
	// Reads is how the store is read.
	Reads Reads
}

// DefaultFamily is the family of pebbleext.DefaultPlan, too: it is near the lower
// bound of bits, and can be cut in memory.
const DefaultFamily = "ribbon"

// negligible is the wasted reads of a level for each lookup that no plan
// spends memory on.
const negligible = 1e-6

// Plan returns the level plan with the fewest wasted reads whose filters take
// at most the budget, and less once no level wastes a read in a million
// lookups: small levels get more bits per key than large ones (Dayan,
// Athanassoulis and Idreos, "Monkey: Optimal Navigable Key-Value Store", SIGMOD
// 2017). It minimises Σ wᵢ·fᵢ(bᵢ) subject to Σ sizeᵢ(bᵢ) ≤ budget, with wᵢ as
// Forecast.Mean weights level i, fᵢ the family's own rate and sizeᵢ measured on
// blocks; amounts have steps of 0.1 bits per key.
//
// Levels without tables get the policy of the nearest level above that has
// tables. It takes about as long as Forecast. A budget in which no filter fits is
// an error that names the least useful one.
func (s Shape) Plan(b Budget) (pebbleext.Plan, error) {
	if err := s.validate(); err != nil {
		return pebbleext.Plan{}, err
	}
	if !(b.Reads.Present >= 0 && b.Reads.Present <= 1) {
		return pebbleext.Plan{}, fmt.Errorf("the share of present keys is from 0 to 1, not %v", b.Reads.Present)
	}
	list, err := candidates(cmp.Or(b.Family, DefaultFamily))
	if err != nil {
		return pebbleext.Plan{}, err
	}
	var choices []*choice
	for _, g := range s.groups(b.Reads) {
		choices = append(choices, newChoice(g, list, b.MaxBlock))
	}
	return s.within(b.Bytes, spendable*float64(b.Bytes), func(bytes float64) (pebbleext.Plan, float64, error) {
		spent := spend(choices, bytes)
		if spent == 0 {
			return pebbleext.Plan{}, 0, tooSmall(choices, b.Bytes)
		}
		p, err := planOf(choices, b)
		return p, spent, err
	})
}

// Uniform returns the plan that gives all levels the same policy, the largest
// of a family within the bytes: what [Shape.Plan] is to be compared with.
func (s Shape) Uniform(family string, bytes int64) (pebbleext.Plan, error) {
	if err := s.validate(); err != nil {
		return pebbleext.Plan{}, err
	}
	list, err := candidates(family)
	if err != nil {
		return pebbleext.Plan{}, err
	}
	fixed, perBit := 0.0, 0.0
	for _, g := range s.groups(Reads{}) {
		sizes := newBlockSizes(list, g.tableKeys())
		fixed += sizes.fixed * float64(g.tables)
		perBit += sizes.perBit * float64(g.tables)
	}
	return s.within(bytes, float64(bytes), func(limit float64) (pebbleext.Plan, float64, error) {
		best := -1
		for i, c := range list {
			if fixed+perBit*c.bits <= limit {
				best = i
			}
		}
		if best < 0 {
			return pebbleext.Plan{}, 0, fmt.Errorf("%d bytes are too few for %s in all levels; the least is %.0f",
				bytes, family, math.Ceil(fixed+perBit*list[0].bits))
		}
		return pebbleext.Uniform(list[best].policy), fixed + perBit*list[best].bits, nil
	})
}

// spendable is the part of a budget that plans are made for: the size of ribbon
// and compressed blocks varies by up to 0.2 % with their seeds.
const spendable = 0.998

// within plans for a limit below a budget, and again for less while the plan's
// blocks exceed it: those of small tables round up to whole lines, which is not
// linear in the bits. The function returns a plan and the bytes it should take,
// at most limit.
func (s Shape) within(budget int64, limit float64, plan func(limit float64) (pebbleext.Plan, float64, error)) (pebbleext.Plan, error) {
	for {
		p, bytes, err := plan(limit)
		if err != nil {
			return pebbleext.Plan{}, err
		}
		f, err := s.Forecast(p, Reads{})
		if err != nil || f.Bytes <= budget {
			return p, err
		}
		limit = bytes - float64(f.Bytes-budget)
	}
}

// choice is the policies that a level can get, from none on, and the one
// chosen.
type choice struct {
	group  group
	steps  []step
	chosen int
}

// step is a policy of a level and what it costs and leaves there.
type step struct {
	policy *filterpolicy.Policy // nil for none
	bytes  float64
	wasted float64 // reads for each lookup
	// gain is the wasted reads that a byte saves from the step before on. It
	// does not grow from step to step.
	gain float64
}

func newChoice(g group, list []candidate, maxBlock int) *choice {
	sizes := newBlockSizes(list, g.tableKeys())
	steps := []step{{wasted: g.weight, gain: math.Inf(1)}}
	for _, c := range list {
		size := sizes.at(c.bits)
		tooLarge := maxBlock > 0 && size > float64(maxBlock)
		if !g.filtered || tooLarge || steps[len(steps)-1].wasted < negligible {
			break
		}
		steps = addConvex(steps, step{policy: c.policy, bytes: size * float64(g.tables), wasted: g.weight * c.rate})
	}
	return &choice{group: g, steps: steps}
}

// addConvex adds a step and keeps the lower convex hull: each step of it is the
// best at one price of memory.
func addConvex(hull []step, s step) []step {
	// Ribbons between two whole numbers of bits lie on a line, and stay.
	const tolerance = 1e-9
	for {
		last := hull[len(hull)-1]
		s.gain = (last.wasted - s.wasted) / (s.bytes - last.bytes)
		if s.gain <= last.gain*(1+tolerance) {
			s.gain = min(s.gain, last.gain)
			return append(hull, s)
		}
		hull = hull[:len(hull)-1]
	}
}

// spend chooses for each level, always the step that saves the most for its
// bytes, and returns the bytes spent: on convex steps no plan of that size is
// better, and less than a step of each level is left.
func spend(choices []*choice, bytes float64) (spent float64) {
	type move struct {
		*choice
		to int
	}
	var moves []move
	for _, c := range choices {
		c.chosen = 0
		for to := 1; to < len(c.steps) && c.steps[to].gain > 0; to++ {
			moves = append(moves, move{c, to})
		}
	}
	slices.SortStableFunc(moves, func(a, b move) int { return cmp.Compare(b.steps[b.to].gain, a.steps[a.to].gain) })
	for _, m := range moves {
		cost := m.steps[m.to].bytes - m.steps[m.chosen].bytes
		if m.chosen == m.to-1 && spent+cost <= bytes { // others may still fit
			m.chosen = m.to
			spent += cost
		}
	}
	return spent
}

// tooSmall is the error of a budget in which no step fits.
func tooSmall(choices []*choice, budget int64) error {
	least := math.Inf(1)
	for _, c := range choices {
		if len(c.steps) > 1 && c.steps[1].gain > 0 {
			least = min(least, c.steps[1].bytes)
		}
	}
	if math.IsInf(least, 1) {
		return errors.New("no filter can save a read: lookups ask none of this store's, or the most bytes of a block are too few")
	}
	return fmt.Errorf("a budget of %d bytes is too small for any filter; the least useful one is %.0f bytes", budget, math.Ceil(least/spendable))
}

// planOf returns the plan that was chosen.
func planOf(choices []*choice, b Budget) (pebbleext.Plan, error) {
	var p pebbleext.Plan
	for _, c := range choices {
		policy := c.steps[c.chosen].policy
		if policy == nil {
			p.Levels[c.group.level] = pebble.NoFilterPolicy
			continue
		}
		capped, err := policy.WithMaxBytes(b.MaxBlock)
		if err != nil {
			return pebbleext.Plan{}, err
		}
		p.Levels[c.group.level] = capped
	}
	fill(p.Levels[:])
	if b.Reads.Get {
		p.Levels[pebbleext.NumLevels-1] = pebble.NoFilterPolicy
	}
	return p, nil
}

// fill gives levels without a policy that of the nearest level above, or below
// where there is none above.
func fill(levels []pebble.FilterPolicy) {
	for level := range levels {
		if level > 0 && levels[level] == nil {
			levels[level] = levels[level-1]
		}
	}
	for level := len(levels) - 2; level >= 0; level-- {
		if levels[level] == nil {
			levels[level] = levels[level+1]
		}
	}
}
