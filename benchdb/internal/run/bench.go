// Package measure runs workloads on stores and counts and times what they do.
package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Lookup is a way to read a record.
type Lookup string

// The ways: pebble.DB.Get; pebbleext.Reader.Get; pebbleext.Reader.GetMany with
// batchSize keys; a pebble.Iterator with UseL6Filters for each key; and none, in
// workloads that only scan.
const (
	Get       Lookup = "Get"
	Reader    Lookup = "Reader"
	Batch     Lookup = "batch"
	L6Filters Lookup = "L6"
	Scan      Lookup = "scan"
)

// lookups returns the ways that make a difference to a workload.
func (b *Bench) lookups(w ycsb.Workload) []Lookup {
	switch {
	case !w.Lookups():
		return []Lookup{Scan}
	case w.Writes() || b.Keys != nil:
		return []Lookup{Get, Reader}
	}
	return []Lookup{Get, Reader, Batch}
}

// Bench is what all workloads of a run share.
type Bench struct {
	store.Settings
	Stores     []*store.Store
	Operations int
	Threads    int
	Seed       uint64
	Direct     bool
	// Keys, if not nil, are looked up one after another in place of a workload's.
	// The Operations last of them are measured, those before warm up.
	Keys []Key
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
}

func (b *Bench) contenders(w ycsb.Workload) []contender {
	var cs []contender
	for _, st := range b.Stores {
		for _, l := range b.lookups(w) {
			cs = append(cs, contender{store: st, lookup: l})
		}
	}
	return cs
}

// Steps returns how many operations Progress will be told of for a workload.
func (b *Bench) Steps(w ycsb.Workload) int {
	passes := 0
	for _, c := range b.contenders(w) {
		passes += 2
		if c.store.Policy.Filters() {
			passes++
		}
	}
	return passes * b.Operations
}

// Run measures a workload. On an error the outcome holds what was measured
// before it.
//
// Operations are counted and timed in separate passes: counting costs time.
func (b *Bench) Run(ctx context.Context, w ycsb.Workload) (Workload, error) {
	out := Workload{Name: w.Name, Absent: w.Absent, Rows: []Row{}}
	cs := b.contenders(w)
	for _, c := range cs {
		row, err := b.count(ctx, c, w)
		if err != nil {
			return out, fmt.Errorf("%s, %s: %w", c.store.Policy.Text, c.lookup, err)
		}
		out.Rows = append(out.Rows, row)
	}
	return out, b.time(ctx, cs, w, out.Rows)
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
	row := Row{Policy: c.store.Policy.Text, Lookup: string(c.lookup), Cost: Cost{Operations: b.Operations}}
	var err error
	if row.Reads, row.Queries, err = b.counted(ctx, c, w, false); err != nil {
		return row, err
	}
	row.Unfiltered = row.Reads
	if c.store.Policy.Filters() {
		if row.Unfiltered, _, err = b.counted(ctx, c, w, true); err != nil {
			return row, err
		}
	}
	row.SkippedReads = row.Unfiltered.Data.Reads - row.Reads.Data.Reads
	return row, nil
}

func (b *Bench) counted(ctx context.Context, c contender, w ycsb.Workload, unfiltered bool) (reads Reads, answers Queries, err error) {
	fs := c.store.CountReads(b.fs())
	queries := c.store.Counter()
	view := store.View{FS: b.fs(), Reads: fs, Queries: queries, Unfiltered: unfiltered}
	s, err := b.open(ctx, c, w, view)
	if err != nil {
		return reads, answers, err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	before := fs.Counts()
	queries.Reset()
	if err := s.run(ctx, b.Operations); err != nil {
		return reads, answers, err
	}
	b.Progress(b.Operations)
	counts := queries.Answers()
	if n := counts.Total().FalseNegatives; n > 0 {
		return reads, answers, fmt.Errorf("filters lost keys: %d false negatives", n)
	}
	return newReads(fs.Counts().Sub(before)), newQueries(counts, c.store.Policy.Rate), nil
}
