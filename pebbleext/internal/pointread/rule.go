package pointread

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Rule says which way lookups take. What it knows of the store's filters comes
// from outside of lookups. It is safe for concurrent use.
type Rule struct {
	choice atomic.Pointer[choice]
	misses misses

	mu    sync.Mutex // of changes to choice
	fixed bool
}

// choice are the ways while few keys are absent and while many are.
type choice struct {
	few, many wayAndWhy
	// Until filters in memory answer, lookups take another way than many, if
	// answering is not nil.
	answering func() bool
	meanwhile wayAndWhy
	// While the store is written, lookups take another way than few, if written is
	// not nil.
	written func() bool
	fresh   wayAndWhy
}

type wayAndWhy struct {
	way Way
	why string
}

// Filters are what a store's tables have. Bytes may be estimates.
type Filters struct {
	// Upper and All are the bytes of the table filters of L0 to L5, and of all
	// levels.
	Upper, All int64
	// UpperLack and Lack tell that some table of L0 to L5, or of any level, has
	// no table filter.
	UpperLack, Lack bool
	// Index tells that tables have index filters, which may be asked.
	Index bool
	// Resident is the memory in bytes for filters outside of the block cache. It
	// is 0 if tables do not name theirs.
	Resident int64
	// Answering, if not nil, tells whether the filters in memory answer by now.
	Answering func() bool
	// Written, if not nil, tells whether the store is written while it is read.
	Written func() bool
	// Cache is the size of the block cache in bytes.
	Cache int64
}

// choose is the rule.
//
// Pebble reads a whole filter block to ask it for one key, so table filters are
// of use while they stay in the block cache, beside the blocks that are read: in
// two thirds of it. 4M keys with 4.8 MiB of filters in 7 MiB, where all, half and a
// tenth of the keys are absent: 0.05, 0.60 and 1.04 reads, and by Get 1.02; but in
// 6 MiB 0.06, 0.79 and 1.41.
//
// Filters in memory serve a store with any memory, as they are cut to it: 3M keys
// with 3.9 MiB of filters and 1.5 MiB for all, a fifth of it theirs, read 2.5 blocks
// for an absent key, and by Get 3.2. Until they are there, table filters answer
// where they fit: they come with one read for a table.
func (f Filters) choose() (c choice) {
	most := f.Cache * 2 / 3
	tables := wayAndWhy{Tables, fmt.Sprintf("all table filters (%s) fit in two thirds of the block cache", mib(f.All))}
	fit := !f.Lack && f.All <= most
	switch {
	case f.Resident > 0 && (!fit || f.Resident >= f.All/2):
		c.many = wayAndWhy{Index, "filters are in memory"}
		if fit {
			c.answering, c.meanwhile = f.Answering, wayAndWhy{Tables, "filters in memory do not answer yet"}
		}
	case fit:
		c.many = tables
	case f.Index:
		c.many = wayAndWhy{Index, "tables have index filters"}
	case f.Lack:
		c.many = wayAndWhy{Get, "nothing answers for L6: tables lack filters"}
	default:
		c.many = wayAndWhy{Get, fmt.Sprintf("nothing answers for L6 cheaply: table filters (%s) do not fit in two thirds of the block cache (%s)", mib(f.All), mib(most))}
	}
	c.few = c.many
	part, name := f.Cache/2, "half"
	// Where filters in memory can answer instead, Get must be sure not to read
	// filter blocks again and again. 1M keys in 1 MiB, 0.3 MiB of upper filters, all
	// keys there: 2.00 reads by Get and 1.17 with filters in memory.
	if f.Resident > 0 {
		part, name = f.Cache/4, "a quarter"
	}
	if !f.UpperLack && f.Upper <= part {
		c.few = wayAndWhy{Get, fmt.Sprintf("table filters of L0 to L5 (%s) fit in %s of the block cache", mib(f.Upper), name)}
	}
	// Iterators look into all levels, also for keys that were written of late: of
	// those, Get finds most in memory. 4M keys in 2 MiB, 1.2 MiB of upper filters,
	// reads by Get and with filters in memory: 2.5 and 3.3 in YCSB's workload A, 0.9
	// and 1.3 in D, at a quarter of the time; but 2.2 and 1.6 in B.
	if c.few.way == Index && f.Resident > 0 && !f.UpperLack {
		c.written, c.fresh = f.Written, wayAndWhy{Get, "the store is written"}
	}
	return c
}

func mib(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }

// NewRule returns the rule for a store of which nothing is known yet.
func NewRule() *Rule {
	r := &Rule{}
	nothing := wayAndWhy{Get, "nothing is known of the tables"}
	r.choice.Store(&choice{few: nothing, many: nothing})
	if w := forced.Load(); w != nil {
		r.fix(*w, "a test says so")
	}
	return r
}

// SetFilters tells what the store's tables have.
func (r *Rule) SetFilters(f Filters) {
	c := f.choose()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.fixed {
		r.choice.Store(&c)
	}
}

// OnlyGet makes all lookups go by Get from now on, for that reason.
func (r *Rule) OnlyGet(why string) { r.fix(Get, why) }

func (r *Rule) fix(way Way, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fixed = true
	w := wayAndWhy{way, why}
	r.choice.Store(&choice{few: w, many: w})
}

// now is the way of the next lookup.
func (r *Rule) now() *wayAndWhy {
	c := r.choice.Load()
	switch {
	case !r.misses.many.Load():
		if c.written != nil && c.written() {
			return &c.fresh
		}
		return &c.few
	case c.answering != nil && !c.answering():
		return &c.meanwhile
	}
	return &c.many
}

func (r *Rule) way() Way { return r.now().way }

// String tells the way of the next lookup, and why.
func (r *Rule) String() string {
	w := r.now()
	return fmt.Sprintf("%s: %.1f%% of keys absent of late, %s", w.way, r.misses.percent(), w.why)
}

// forced is what tests want.
var forced atomic.Pointer[Way]

// Force makes rules that are made from now on take one way, where the store can
// be read so, until restore is called. It is for tests of what filters answer.
func Force(way Way) (restore func()) {
	before := forced.Swap(&way)
	return func() { forced.Store(before) }
}
