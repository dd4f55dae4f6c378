package levelplan

import (
	"slices"

	"github.com/gravelkv/gravel/pebbleext"
)

// Division is a way to divide a memory between filters and blocks.
type Division struct {
	Plan   pebbleext.Plan
	Memory Memory
	// Bytes is the size of all filter blocks.
	Bytes int64
	// Absent and Present are what a lookup of such a key reads.
	Absent, Present DiskReads
}

// price is the mean of what lookups read, see [DiskReads.price].
func (d Division) price(reads Reads) float64 {
	return (1-reads.Present)*d.Absent.price() + reads.Present*d.Present.price()
}

// indexBits is the bits of fingerprints of index filters in divisions.
const indexBits = 8

// A division must read less than a simpler one by this share and this price.
const betterShare, betterPrice = 0.05, 0.02

// kind is which filters there are, and where.
type kind struct{ tables, resident, index bool }

// Divisions returns ways to divide a memory, the cache of m and the budget:
//
//   - table filters in the block cache, which has all of the memory;
//   - index filters and no table filters, with all of the memory for blocks;
//   - resident table filters, with the rest of the memory for blocks;
//   - these with index filters;
//   - no filters at all.
//
// Plans of table filters are those of [Shape.Plan], for all of the budget or
// for a half, a quarter or an eighth of it, whichever makes lookups read least.
// The first result is the one to choose, by what it reads: one that stands
// further down this list must save 5 %, and 0.02 reads. Where lookups are
// pebble.DB.Get, which asks neither index nor resident filters, there are the
// first and the last only.
func (s Shape) Divisions(b Budget, m Memory) ([]Division, error) {
	kinds := []kind{{tables: true}, {index: true}, {tables: true, resident: true}, {tables: true, resident: true, index: true}, {}}
	if b.Reads.Get {
		kinds = []kind{{tables: true}, {}}
	}
	m.Cache += b.Bytes
	plans, err := s.plans(b)
	if err != nil {
		return nil, err
	}
	var list []Division
	best := 0
	for i, k := range kinds {
		d, err := s.leastReads(k, plans, m, b.Reads)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
		if d.price(b.Reads) < list[best].price(b.Reads)*(1-betterShare)-betterPrice {
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

// leastReads returns the division of a kind with the plan that reads least.
func (s Shape) leastReads(k kind, plans []pebbleext.Plan, m Memory, reads Reads) (least Division, err error) {
	if !k.tables {
		plans = []pebbleext.Plan{pebbleext.Uniform(nil)}
	}
	m.Resident = k.resident
	for i, plan := range plans {
		if k.index {
			plan.Index = indexBits
		}
		d, err := s.divide(plan, m, reads)
		if err != nil {
			return Division{}, err
		}
		if i == 0 || d.price(reads) < least.price(reads) {
			least = d
		}
	}
	return least, nil
}

// divide returns what a plan makes of a memory, of which resident filters take
// their part.
func (s Shape) divide(plan pebbleext.Plan, m Memory, reads Reads) (Division, error) {
	f, err := s.Forecast(plan, reads)
	if err != nil {
		return Division{}, err
	}
	if m.Resident {
		m.Cache = max(m.Cache-f.Bytes, 0)
	}
	d := Division{Plan: plan, Memory: m, Bytes: f.Bytes}
	d.Absent, d.Present, err = s.DiskReads(s.Filters(plan), reads, m)
	return d, err
}
