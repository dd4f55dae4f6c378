// Package run runs workloads on stores and counts and times what they do.
package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Lookup is a way to read a record, or to scan.
type Lookup string

// The ways: pebble.DB.Get; a pebble.Iterator with UseL6Filters and SeekPrefixGE
// for each key or prefix, which is what Pebble's own API has for the filters of
// L6; the lookups and iterators of a pebbleext.DB; and in workloads that only scan
// pebble.DB.NewIter.
const (
	Get       Lookup = "Get"
	L6Filters Lookup = "L6"
	DB        Lookup = "DB"
	Scan      Lookup = "scan"
)

// Lookups returns the ways to compare in a workload on a store.
func (b *Bench) Lookups(w ycsb.Workload, p policy.Policy) []Lookup {
	plain, own := Get, p.IsGravel()
	if !w.Lookups() {
		plain = Scan
		own = p.Plan.Prefix != nil && w.Scans == ycsb.Prefixes || p.Plan.Range != 0 && w.Scans == ycsb.Ranges
	}
	asksL6 := w.Lookups() || w.Scans == ycsb.Prefixes && b.Split > 0
	switch {
	case p.Text == policy.AsItIs:
		return []Lookup{Get, L6Filters, DB}
	case own:
		return []Lookup{plain, DB}
	case p.Filters() && !p.IsGravel() && asksL6:
		return []Lookup{plain, L6Filters}
	}
	return []Lookup{plain}
}

// Bench is what all workloads of a run share.
type Bench struct {
	store.Settings
	Stores     []*store.Store
	Operations int
	// Warmup is how many operations go before those, in each opening of a store.
	Warmup int
	// Rounds is how often each contender is opened and measured. Each round has
	// operations of its own.
	Rounds int
	// Rate is how many timed operations arrive in a second, 0 if each begins when
	// the one before is done.
	Rate    float64
	Threads int
	Seed    uint64
	Direct  bool
	// Keys, if not nil, are looked up one after another in place of a workload's.
	Keys []Key
	// Memory is what each contender has for blocks and filters in bytes.
	Memory int64
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
	// saved, if not empty, is a file that keeps resident filters from session to
	// session.
	saved string
}

// isResident tells whether filters may be in memory: that of blocks and theirs is
// one.
func (c contender) isResident() bool { return c.lookup == DB && c.store.Policy.HasTableFilters() }

func (b *Bench) contenders(w ycsb.Workload) (cs []contender) {
	for _, st := range b.Stores {
		for _, l := range b.Lookups(w, st.Policy) {
			cs = append(cs, contender{store: st, lookup: l})
		}
	}
	return cs
}

// Steps returns how many operations Progress will be told of for a workload.
func (b *Bench) Steps(w ycsb.Workload) int { return 2 * len(b.contenders(w)) * b.Operations * b.Rounds }

// Run measures a workload. On an error the outcome holds what was measured
// before it.
//
// Operations are counted and timed in separate passes: counting costs time.
func (b *Bench) Run(ctx context.Context, w ycsb.Workload) (out Outcome, err error) {
	out = Outcome{Name: w.Name, Absent: w.Absent, Threads: b.Threads, Memory: report.Size(b.Memory), Rows: []Row{}}
	cs := b.contenders(w)
	remove, err := b.keepFilters(cs, w)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	for _, c := range cs {
		row, err := b.row(ctx, c, w)
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
		if cs[i].isResident() && !w.Writes() {
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

// ofRound returns a Bench with the operations of a round.
func (b *Bench) ofRound(round int) *Bench {
	of := *b
	of.Seed += uint64(round)
	return &of
}

// row counts what a contender does in all rounds.
func (b *Bench) row(ctx context.Context, c contender, w ycsb.Workload) (row Row, err error) {
	row = Row{Policy: c.store.Policy.Text, Lookup: c.lookup}
	var answers store.AnswersByLevel
	for round := range b.Rounds {
		counted, err := b.ofRound(round).count(ctx, c, w, &row)
		if err != nil {
			return row, err
		}
		answers = answers.Add(counted)
	}
	row.Queries = newQueries(answers)
	return row, nil
}

// count runs the operations and adds what they read to a row. It returns what
// filters answered.
func (b *Bench) count(ctx context.Context, c contender, w ycsb.Workload, row *Row) (answers store.AnswersByLevel, err error) {
	fs := c.store.CountReads(b.fs())
	queries := c.store.Counter()
	s, err := b.open(ctx, c, w, store.View{FS: b.fs(), Reads: fs, Queries: queries})
	if err != nil {
		return answers, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	fs.Reset()
	queries.Reset()
	if err := s.run(ctx, b.Operations); err != nil {
		return answers, err
	}
	b.Progress(b.Operations)
	answers = queries.Answers()
	if n := answers.Total().FalseNegatives; n > 0 {
		return answers, fmt.Errorf("filters lost keys: %d false negatives", n)
	}
	one := Cost{Operations: b.Operations, Reads: fs.Counts()}
	row.RoundReads = append(row.RoundReads, one.ReadsPerOp())
	row.Operations += one.Operations
	row.Reads = row.Reads.Add(one.Reads)
	row.CacheBytes = b.Memory
	if filters := s.filters(); filters != nil {
		row.ResidentBytes = filters.Stats().Used
		row.CacheBytes -= row.ResidentBytes
	}
	return answers, nil
}
