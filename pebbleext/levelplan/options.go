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

// price is that of a lookup.
func (o Option) price(reads Reads) float64 {
	return (1-reads.Present)*o.Absent.Price() + reads.Present*o.Present.Price()
}

// indexBits is the bits of fingerprints of index filters in options.
const indexBits = 8

// An option must read less than a simpler one by this share and this price.
const betterShare, betterPrice = 0.05, 0.02

// Options returns ways to divide a memory, the cache of m and the budget,
// between filters and blocks:
//
//   - table filters in the block cache, which has all of the memory;
//   - index filters and no table filters, with all of the memory for blocks;
//   - resident table filters, with the rest of the memory for blocks;
//   - these with index filters;
//   - no filters at all.
//
// Plans of table filters are those of [Shape.Plan], for all of the budget or for
// a half, a quarter or an eighth of it, whichever makes lookups read least. Of
// these ways the first result is the one to choose, by what it reads: one that
// stands further down this list must save 5 %, and 0.02 reads. Where lookups
// are pebble.DB.Get, which asks neither index nor resident filters, the list has
// the first and the last only.
func (s Shape) Options(b Budget, m Memory) ([]Option, error) {
	whole := Memory{Cache: m.Cache + b.Bytes, Shard: m.Shard}
	none := pebbleext.Uniform(nil)
	cached, resident, both, err := s.tableOptions(b, whole)
	if err != nil {
		return nil, err
	}
	list := []Option{cached}
	if !b.Reads.Get {
		index, err := s.option(withIndex(none), whole, b.Reads)
		if err != nil {
			return nil, err
		}
		list = append(list, index, resident, both)
	}
	unfiltered, err := s.option(none, whole, b.Reads)
	if err != nil {
		return nil, err
	}
	list = append(list, unfiltered)
	best := 0
	for i, o := range list {
		if o.price(b.Reads) < list[best].price(b.Reads)*(1-betterShare)-betterPrice {
			best = i
		}
	}
	chosen := list[best]
	return slices.Insert(slices.Delete(list, best, best+1), 0, chosen), nil
}

// tableOptions returns the best options with table filters: in the cache,
// resident, and resident with index filters.
func (s Shape) tableOptions(b Budget, whole Memory) (cached, resident, both Option, err error) {
	all := b.Bytes
	for part := int64(1); part <= 8; part *= 2 {
		b.Bytes = all / part
		plan, err := s.Plan(b)
		if err != nil {
			if part == 1 {
				return cached, resident, both, err
			}
			break // too small
		}
		apart := whole
		apart.Resident = true
		for _, c := range []struct {
			best   *Option
			plan   pebbleext.Plan
			memory Memory
		}{{&cached, plan, whole}, {&resident, plan, apart}, {&both, withIndex(plan), apart}} {
			o, err := s.option(c.plan, c.memory, b.Reads)
			if err != nil {
				return cached, resident, both, err
			}
			if part == 1 || o.price(b.Reads) < c.best.price(b.Reads) {
				*c.best = o
			}
		}
	}
	return cached, resident, both, nil
}

func withIndex(p pebbleext.Plan) pebbleext.Plan {
	p.Index = indexBits
	return p
}

// option returns the one of a plan in a memory, of which resident filters take
// their part.
func (s Shape) option(plan pebbleext.Plan, m Memory, reads Reads) (Option, error) {
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
