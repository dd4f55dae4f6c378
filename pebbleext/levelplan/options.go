package levelplan

import (
	"slices"

	"github.com/gravelkv/gravel/pebbleext"
)

// Option is a way to spend the memory of a store.
type Option struct {
	Plan   pebbleext.Plan
	Memory Memory
	// Bytes is the size of all filter blocks.
	Bytes int64
	// Absent and Present are what a lookup of such a key reads.
	Absent, Present DiskReads
}

// Price is that of a lookup, see [DiskReads.Price].
func (o Option) Price(reads Reads) float64 {
	return (1-reads.Present)*o.Absent.Price() + reads.Present*o.Present.Price()
}

// indexBits is the bits of fingerprints of index filters in options.
const indexBits = 8

// An option must read less than a simpler one by this share and this price.
const betterShare, betterPrice = 0.05, 0.02

// kind is which filters there are, and where.
type kind struct {
	tables, resident bool
	index            int // bits
}

// Options returns ways to divide a memory, the cache of m and the budget,
// between filters and blocks:
//
//   - table filters in the block cache, which has all of the memory;
//   - index filters and no table filters, with all of the memory for blocks;
//   - resident table filters, with the rest of the memory for blocks;
//   - these with index filters;
//   - no filters at all.
//
// Plans of table filters are those of [Shape.Plan], for all of the budget or
// for a half, a quarter or an eighth of it, whichever makes lookups read least.
// Of these ways the first result is the one to choose, by what it reads: one
// that stands further down this list must save 5 %, and 0.02 reads. Where
// lookups are pebble.DB.Get, which asks neither index nor resident filters, the
// list has the first and the last only.
func (s Shape) Options(b Budget, m Memory) ([]Option, error) {
	if b.Reads.Get {
		return s.options(b, m, kind{tables: true}, kind{})
	}
	return s.options(b, m,
		kind{tables: true},
		kind{index: indexBits},
		kind{tables: true, resident: true},
		kind{tables: true, resident: true, index: indexBits},
		kind{})
}

// Divide returns the one to choose of the options of an open store. It cannot
// change its index filters, of some bits or 0 for none.
func (s Shape) Divide(b Budget, m Memory, index int) (Option, error) {
	list, err := s.options(b, m,
		kind{tables: true, index: index},
		kind{tables: true, resident: true, index: index},
		kind{index: index})
	if err != nil {
		return Option{}, err
	}
	return list[0], nil
}

// options returns the best option of each kind, the one to choose first.
func (s Shape) options(b Budget, m Memory, kinds ...kind) ([]Option, error) {
	m.Cache += b.Bytes
	plans, err := s.plans(b)
	if err != nil {
		return nil, err
	}
	var list []Option
	best := 0
	for i, k := range kinds {
		o, err := s.leastReads(k, plans, m, b.Reads)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
		if o.Price(b.Reads) < list[best].Price(b.Reads)*(1-betterShare)-betterPrice {
			best = i
		}
	}
	chosen := list[best]
	return slices.Insert(slices.Delete(list, best, best+1), 0, chosen), nil
}

// plans returns plans of table filters for a budget and for parts of it.
func (s Shape) plans(b Budget) (plans []pebbleext.Plan, err error) {
	for range 4 {
		plan, err := s.Plan(b)
		switch {
		case err == nil:
			plans = append(plans, plan)
		case len(plans) == 0:
			return nil, err
		} // others are too small
		b.Bytes /= 2
	}
	return plans, nil
}

// leastReads returns the option of a kind with the plan that reads least.
func (s Shape) leastReads(k kind, plans []pebbleext.Plan, m Memory, reads Reads) (least Option, err error) {
	if !k.tables {
		plans = []pebbleext.Plan{pebbleext.Uniform(nil)}
	}
	m.Resident = k.resident
	for i, plan := range plans {
		plan.Index = k.index
		o, err := s.Option(plan, m, reads)
		if err != nil {
			return Option{}, err
		}
		if i == 0 || o.Price(reads) < least.Price(reads) {
			least = o
		}
	}
	return least, nil
}

// Option returns what a plan makes of a memory, of which resident filters take
// their part.
func (s Shape) Option(plan pebbleext.Plan, m Memory, reads Reads) (Option, error) {
	f, err := s.Forecast(plan, reads)
	if err != nil {
		return Option{}, err
	}
	if m.Resident {
		m.Cache = max(m.Cache-f.Bytes, 0)
	}
	o := Option{Plan: plan, Memory: m, Bytes: f.Bytes}
	o.Absent, o.Present, err = s.DiskReads(s.Filters(plan), reads, m)
	return o, err
}
