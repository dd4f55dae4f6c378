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
	few, many Way
	why       [2]string // of few, of many
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
	// Cache is the size of the block cache in bytes.
	Cache int64
}

// choose is the rule.
//
// Pebble reads a whole filter block to ask it for one key, so table filters are
// of use while they stay in the block cache, beside the blocks that are read: in
// half of it. Filters in memory serve a store with any memory, as they are cut to
// it: 3M keys with 3.9 MiB of filters and 1.5 MiB for all, a fifth of it theirs,
// read 2.5 blocks for an absent key, and by Get 3.2.
func (f Filters) choose() (c choice) {
	half := f.Cache / 2
	upperFit := !f.UpperLack && f.Upper <= half
	switch {
	case !f.Lack && f.All <= half && f.Resident < max(f.All/2, 1):
		c.many = Tables
		c.why[1] = fmt.Sprintf("all table filters (%s) fit in half of the block cache", mib(f.All))
	case f.Resident > 0:
		c.many = Index
		c.why[1] = fmt.Sprintf("filters are in memory (up to %s)", mib(f.Resident))
	case f.Index:
		c.many = Index
		c.why[1] = "tables have index filters"
	default:
		c.many = Get
		c.why[1] = fmt.Sprintf("nothing answers for L6 cheaply: table filters (%s) do not fit in half of the block cache (%s)", mib(f.All), mib(half))
		if f.Lack {
			c.why[1] = "nothing answers for L6: tables lack filters"
		}
	}
	if upperFit {
		c.few = Get
		c.why[0] = fmt.Sprintf("table filters of L0 to L5 (%s) fit in half of the block cache", mib(f.Upper))
		return c
	}
	c.few, c.why[0] = c.many, c.why[1]
	return c
}

func mib(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }

// NewRule returns the rule for a store of which nothing is known yet.
func NewRule() *Rule {
	r := &Rule{}
	r.choice.Store(&choice{why: [2]string{"nothing is known of the tables", "nothing is known of the tables"}})
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
	r.choice.Store(&choice{few: way, many: way, why: [2]string{why, why}})
}

// way returns that of the next lookup.
func (r *Rule) way() Way {
	c := r.choice.Load()
	if r.misses.many.Load() {
		return c.many
	}
	return c.few
}

// String tells the way of the next lookup, and why.
func (r *Rule) String() string {
	c, why := r.choice.Load(), 0
	if r.misses.many.Load() {
		why = 1
	}
	return fmt.Sprintf("%s: %.1f%% of keys are absent, %s", r.way(), r.misses.percent(), c.why[why])
}

// forced is what tests want.
var forced atomic.Pointer[Way]

// Force makes rules that are made from now on take one way, where the store can
// be read so, until restore is called. It is for tests of what filters answer.
func Force(way Way) (restore func()) {
	before := forced.Swap(&way)
	return func() { forced.Store(before) }
}
