package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// A Sweep measures a workload that writes nothing with block caches of several
// sizes.
type Sweep struct {
	Name string
	// points are in the order of their sizes.
	points []sweepPoint
	// timed tells that operations are timed too.
	timed bool
	bench *Bench
}

type sweepPoint struct {
	contenders []contender
	// ratio is the size of the cache to that of the filters, 0 if that is not
	// what is swept.
	ratio float64
}

// Sweeps reports whether a workload can be swept.
func Sweeps(w ycsb.Workload) bool { return w.Lookups() && !w.Writes() }

// minSweep is the smallest block cache of a sweep.
const minSweep = 64 << 10

// CacheSweep counts reads through pebbleext.Reader with caches of powers of two,
// from about 1/64 of the data, which holds a few hot blocks, to more than all of
// it.
func (b *Bench) CacheSweep() *Sweep {
	s := &Sweep{Name: "cache sizes", bench: b}
	data := b.DataSize()
	for size := int64(minSweep); ; size *= 2 {
		if size >= data/64 {
			var point sweepPoint
			for _, st := range b.Stores {
				point.contenders = append(point.contenders, contender{store: st, lookup: Reader, cacheSize: size, readAll: true})
			}
			s.points = append(s.points, point)
		}
		if size > data*3/2 { // indexes and filters also need room
			return s
		}
	}
}

// memoryRatios are the points of a MemorySweep.
var memoryRatios = []float64{1. / 16, 1. / 8, 1. / 4, 1. / 2, 1, 2}

// MemorySweep counts and times lookups where filters have too little memory, and
// enough: with caches from a sixteenth of the bytes of a store's filters, the
// largest ones if stores differ, to twice as many.
func (b *Bench) MemorySweep(filterBytes int64) *Sweep {
	s := &Sweep{Name: "memory for filters", bench: b, timed: true}
	for _, ratio := range memoryRatios {
		point := sweepPoint{ratio: ratio}
		for _, st := range b.Stores {
			for _, l := range b.usualLookups(st.Policy) {
				point.contenders = append(point.contenders, newSweepContender(st, l, int64(ratio*float64(filterBytes))))
			}
		}
		s.points = append(s.points, point)
	}
	return s
}

// residentShare is how much of the memory a sweep gives to resident filters. The
// block cache has the rest.
const residentShare = 0.75

func newSweepContender(st *store.Store, l Lookup, memory int64) contender {
	c := contender{store: st, lookup: l, cacheSize: memory}
	if l.isResident() {
		c.filterMemory = int64(residentShare * float64(memory))
		c.cacheSize -= c.filterMemory
	}
	return c
}

// usualLookups are the ways to read a store of a policy: for Pebble's own filters
// without and with those of L6, for no filter as for Pebble's, and for Gravel's
// its Reader, without and with resident filters.
func (b *Bench) usualLookups(p policy.Policy) []Lookup {
	switch policy.Family(p.Text) {
	case "none":
		return []Lookup{Get}
	case policy.PebbleBloom:
		return []Lookup{Get, L6Filters}
	}
	if b.FilterMemory == 0 || !hasGravel(p) {
		return []Lookup{Reader}
	}
	return []Lookup{Reader, Resident}
}

// Steps returns how many operations Progress will be told of by Run.
func (s *Sweep) Steps() int {
	passes := 0
	for _, p := range s.points {
		passes += len(p.contenders)
	}
	if s.timed {
		passes *= 2
	}
	return passes * s.bench.Operations
}

// Run sweeps a workload. On an error it returns the points before it.
func (s *Sweep) Run(ctx context.Context, w ycsb.Workload) ([]SweepRow, error) {
	var all []SweepRow
	for _, p := range s.points {
		rows, err := s.point(ctx, w, p)
		if err != nil {
			return all, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

func (s *Sweep) point(ctx context.Context, w ycsb.Workload, p sweepPoint) (swept []SweepRow, err error) {
	remove, err := s.bench.keepFilters(p.contenders, w)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	rows := make([]Row, len(p.contenders))
	for i, c := range p.contenders {
		pass, err := s.bench.counted(ctx, c, w, false)
		if err != nil {
			return nil, fmt.Errorf("%s, cache of %d bytes: %w", c.store.Policy.Text, c.cacheSize, err)
		}
		rows[i] = Row{Policy: c.store.Policy.Text, Lookup: c.lookup, Cost: Cost{s.bench.Operations, pass.reads}}
	}
	if s.timed {
		if err := s.bench.time(ctx, p.contenders, w, rows); err != nil {
			return nil, err
		}
	}
	for i, r := range rows {
		c := p.contenders[i]
		swept = append(swept, SweepRow{w.Name, r.Policy, r.Lookup, c.cacheSize, c.filterMemory, p.ratio, r.Cost, r.Timing})
	}
	return swept, nil
}

// readAll reads every data block, and warms up again.
func (s *session) readAll(ctx context.Context) error {
	iter, err := s.db.NewIterWithContext(ctx, nil)
	if err != nil {
		return err
	}
	for valid := iter.First(); valid && ctx.Err() == nil; {
		valid = iter.Next()
	}
	if err := errors.Join(iter.Close(), ctx.Err()); err != nil {
		return err
	}
	return s.run(ctx, s.warmup)
}
