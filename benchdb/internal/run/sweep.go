package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// minSweep is the smallest block cache of a sweep.
const minSweep = 64 << 10

// CacheSizes returns the sizes of a sweep: powers of two from about 1/64 of the
// data, which holds a few hot blocks, to more than all of it.
func (b *Bench) CacheSizes() []int64 {
	data := b.DataSize()
	var sizes []int64
	for size := int64(minSweep); ; size *= 2 {
		if size >= data/64 {
			sizes = append(sizes, size)
		}
		if size > data*3/2 { // indexes and filters also need room
			return sizes
		}
	}
}

// SweepSteps returns how many operations Progress will be told of by Sweep.
func (b *Bench) SweepSteps() int { return len(b.CacheSizes()) * len(b.Stores) * b.Operations }

// Sweep counts what a workload that writes nothing reads through
// pebbleext.Reader with block caches of CacheSizes. On an error it returns the
// rows before it.
func (b *Bench) Sweep(ctx context.Context, w ycsb.Workload) ([]SweepRow, error) {
	var rows []SweepRow
	for _, size := range b.CacheSizes() {
		for _, st := range b.Stores {
			reads, err := b.cached(ctx, contender{st, Reader}, w, size)
			if err != nil {
				return rows, fmt.Errorf("%s, cache of %d bytes: %w", st.Policy.Text, size, err)
			}
			rows = append(rows, SweepRow{
				Workload: w.Name, Policy: st.Policy.Text, Lookup: string(Reader),
				CacheSize: size, Operations: b.Operations, Reads: reads,
			})
			b.Progress(b.Operations)
		}
	}
	return rows, nil
}

// Sweeps reports whether a workload can be swept.
func Sweeps(w ycsb.Workload) bool { return w.Lookups() && !w.Writes() }

func (b *Bench) cached(ctx context.Context, c contender, w ycsb.Workload, size int64) (reads Reads, err error) {
	fs := c.store.CountReads(b.fs())
	s, err := b.open(ctx, c, w, store.View{FS: b.fs(), Reads: fs, CacheSize: size})
	if err != nil {
		return reads, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	// A warm-up alone would leave most of a large cache empty.
	if err := s.readAll(ctx); err != nil {
		return reads, err
	}
	if err := s.run(ctx, b.warmup()); err != nil {
		return reads, err
	}
	before := fs.Counts()
	if err := s.run(ctx, b.Operations); err != nil {
		return reads, err
	}
	return newReads(fs.Counts().Sub(before)), nil
}

// readAll reads every data block.
func (s *session) readAll(ctx context.Context) error {
	iter, err := s.db.NewIterWithContext(ctx, nil)
	if err != nil {
		return err
	}
	for valid := iter.First(); valid && ctx.Err() == nil; {
		valid = iter.Next()
	}
	return errors.Join(iter.Close(), ctx.Err())
}
