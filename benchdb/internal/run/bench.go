// Package run runs workloads on stores and counts and times what they do.
package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
	"github.com/gravelkv/gravel/filterpolicy"
)

// Lookup is a way to read a record.
type Lookup string

// The ways: pebble.DB.Get; pebbleext.Reader.Get; pebbleext.Reader.GetMany with
// batchSize keys; these two with resident filters; a pebble.Iterator with
// UseL6Filters and SeekPrefixGE for each key or prefix; Resident with filters that
// a file keeps while the store is closed, in a Remote; in workloads that only scan,
// pebble.DB.NewIter, and pebbleext.Reader.NewPrefixIter or NewBoundedIter with
// prefix filters or range filters.
const (
	Get           Lookup = "Get"
	Reader        Lookup = "Reader"
	Batch         Lookup = "batch"
	Resident      Lookup = "resident"
	ResidentBatch Lookup = "res.batch"
	L6Filters     Lookup = "L6"
	Saved         Lookup = "saved"
	Scan          Lookup = "scan"
	Bounded       Lookup = "bounded"
)

// isResident reports whether a way uses resident filters.
func (l Lookup) isResident() bool { return l == Resident || l == ResidentBatch || l == Saved }

// isReader reports whether a way is a pebbleext.Reader's.
func (l Lookup) isReader() bool { return l == Reader || l == Batch || l.isResident() }

// Lookups returns the ways that make a difference to a workload on a store.
func (b *Bench) Lookups(w ycsb.Workload, p policy.Policy) (ways []Lookup) {
	switch {
	case w.Scans == ycsb.Prefixes:
		ways = []Lookup{Scan}
		if b.Split > 0 && p.Filters() {
			ways = append(ways, L6Filters)
		}
		if p.Plan.Prefix != nil {
			ways = append(ways, Bounded, Resident)
		}
	case w.Scans != ycsb.Lengths && p.Plan.Range != 0:
		return []Lookup{Scan, Bounded}
	case !w.Lookups():
		return []Lookup{Scan}
	case b.Keys != nil:
		ways = []Lookup{Get, L6Filters, Reader, Resident}
	case w.Writes():
		ways = []Lookup{Get, Reader, Resident}
	default:
		ways = []Lookup{Get, Reader, Batch, Resident, ResidentBatch}
	}
	if b.FilterMemory == 0 || !hasGravel(p) {
		ways = slices.DeleteFunc(ways, Lookup.isResident)
	}
	return ways
}

// hasGravel reports whether a policy has table filters of Gravel's.
func hasGravel(p policy.Policy) bool {
	return slices.ContainsFunc(p.Plan.Levels[:], func(level pebble.FilterPolicy) bool {
		return level != nil && level.Name() == filterpolicy.Name
	})
}

// Bench is what all workloads of a run share.
type Bench struct {
	store.Settings
	Stores     []*store.Store
	Operations int
	// Duration is how long operations are timed, 0 for as many as are counted.
	Duration time.Duration
	Threads  int
	Seed     uint64
	Direct   bool
	// Keys, if not nil, are looked up one after another in place of a workload's.
	// The Operations last of them are measured, those before warm up.
	Keys []Key
	// FilterMemory is the budget of resident filters in bytes, 0 for none.
	FilterMemory int64
	// Scratch is a directory for copies, on the file system of the stores.
	Scratch string
	// Progress is called with numbers of operations done, beside those of
	// warm-ups.
	Progress func(operations int)
}

// contender is a store with a way to read it.
type contender struct {
	store  *store.Store
	lookup Lookup
	// cacheSize is the size of the block cache, 0 for that of the settings.
	cacheSize int64
	// filterMemory is the budget of resident filters, if the way uses them.
	filterMemory int64
	// saved, if not empty, is a file that keeps resident filters from session to
	// session.
	saved string
	// readAll fills the cache with everything before reads are counted: a warm-up
	// alone would leave most of a large one empty.
	readAll bool
}

// asksFilters reports whether its operations are counted again without filters.
func (c contender) asksFilters() bool { return c.lookup == Bounded || c.store.Policy.Filters() }

func (b *Bench) contenders(w ycsb.Workload) []contender {
	var cs []contender
	for _, st := range b.Stores {
		for _, l := range b.Lookups(w, st.Policy) {
			cs = append(cs, contender{store: st, lookup: l, filterMemory: b.FilterMemory})
		}
	}
	return cs
}

// Steps returns how many operations Progress will be told of for a workload.
func (b *Bench) Steps(w ycsb.Workload) int {
	passes := 0
	for _, c := range b.contenders(w) {
		passes += 2
		if c.asksFilters() {
			passes++
		}
	}
	return passes * b.Operations
}

// Run measures a workload. On an error the outcome holds what was measured
// before it.
//
// Operations are counted and timed in separate passes: counting costs time.
func (b *Bench) Run(ctx context.Context, w ycsb.Workload) (out Workload, err error) {
	out = Workload{Name: w.Name, Absent: w.Absent, Threads: b.Threads, Rows: []Row{}}
	cs := b.contenders(w)
	remove, err := b.keepFilters(cs, w)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	for _, c := range cs {
		row, err := b.count(ctx, c, w)
		if err != nil {
			return out, fmt.Errorf("%s, %s: %w", c.store.Policy.Text, c.lookup, err)
		}
		out.Rows = append(out.Rows, row)
	}
	return out, b.time(ctx, cs, w, out.Rows)
}

// keepFilters gives contenders files that keep their resident filters from session
// to session, so that only the first waits for them. What workloads write has
// filters of its own. Remove removes the files.
func (b *Bench) keepFilters(cs []contender, w ycsb.Workload) (remove func() error, err error) {
	dir, err := os.MkdirTemp(b.Scratch, "filters-")
	for i := range cs {
		if cs[i].lookup.isResident() && !w.Writes() {
			cs[i].saved = filepath.Join(dir, fmt.Sprint(i))
		}
	}
	return func() error { return os.RemoveAll(dir) }, err
}

func (b *Bench) fs() vfs.FS {
	if b.Direct {
		return diskio.NewDirectFS(vfs.Default)
	}
	return vfs.Default
}

// count runs the operations twice, with filters and with the same tables'
// filters off.
func (b *Bench) count(ctx context.Context, c contender, w ycsb.Workload) (Row, error) {
	row := Row{Policy: c.store.Policy.Text, Lookup: c.lookup, Cost: Cost{Operations: b.Operations}}
	filtered, err := b.counted(ctx, c, w, false)
	if err != nil {
		return row, err
	}
	row.Reads, row.Queries, row.ResidentBytes = filtered.reads, filtered.queries, filtered.resident
	row.Way = filtered.way
	row.Unfiltered = row.Reads
	if c.asksFilters() {
		switch { // there is no Reader without filters
		case c.lookup.isReader():
			c.lookup = Get
		case c.lookup == Bounded:
			c.lookup = Scan
		}
		unfiltered, err := b.counted(ctx, c, w, true)
		if err != nil {
			return row, err
		}
		row.Unfiltered = unfiltered.reads
	}
	row.SkippedReads = row.Unfiltered.Data.Reads - row.Reads.Data.Reads
	return row, nil
}

// pass is what was counted while operations ran.
type pass struct {
	reads    diskio.Counts
	queries  Queries
	resident int64 // bytes of filters in memory
	way      string
}

func (b *Bench) counted(ctx context.Context, c contender, w ycsb.Workload, unfiltered bool) (p pass, err error) {
	fs := c.store.CountReads(b.fs())
	queries := c.store.Counter()
	view := store.View{FS: b.fs(), Reads: fs, Queries: queries, Unfiltered: unfiltered}
	s, err := b.open(ctx, c, w, view)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if c.readAll {
		if err := s.readAll(ctx); err != nil {
			return p, err
		}
	}

	fs.Reset()
	queries.Reset()
	if err := s.run(ctx, b.Operations); err != nil {
		return p, err
	}
	b.Progress(b.Operations)
	counts := queries.Answers()
	if n := counts.Total().FalseNegatives; n > 0 {
		return p, fmt.Errorf("filters lost keys: %d false negatives", n)
	}
	p = pass{reads: fs.Counts(), queries: newQueries(counts, c.store.Policy.Rate)}
	if c.lookup == Reader || c.lookup == Resident {
		p.way, _, _ = strings.Cut(s.reader.Way(), ":")
	}
	if filters := s.filters(); filters != nil {
		p.resident = filters.Stats().Used
	}
	return p, nil
}
