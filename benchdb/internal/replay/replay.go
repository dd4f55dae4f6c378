package replay

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/checkpoint"
	"github.com/gravelkv/gravel/pebbleext/refilter"
)

// Options returns the options with which a checkpoint is read and refiltered:
// those of its store, with the filters that are known here, and no compaction
// but those that refilter asks for, so that all copies keep the store's shape.
func Options(dir string, cacheSize int64) (*pebble.Options, error) {
	opts, err := checkpoint.Options(dir)
	if err != nil {
		return nil, err
	}
	opts.CacheSize = cacheSize
	opts.L0CompactionThreshold, opts.L0StopWritesThreshold = math.MaxInt32, math.MaxInt32
	opts.L0CompactionFileThreshold = math.MaxInt32
	opts.LBaseMaxBytes = math.MaxInt64
	opts.Experimental.ReadSamplingMultiplier = -1
	opts.DisableTableStats = true
	opts.Logger = quiet{}
	pebbleext.Apply(opts, pebbleext.Plan{})
	return opts, nil
}

// quiet drops what Pebble logs; what matters comes back as an error.
type quiet struct{}

func (quiet) Infof(string, ...any)              {}
func (quiet) Errorf(string, ...any)             {}
func (quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// CheckKeys fails at a key that the store's comparer could not read.
func CheckKeys(keys [][]byte, c *pebble.Comparer) error {
	c = c.EnsureDefaults()
	for i, key := range keys {
		if err := c.ValidateKey.Validate(key); err != nil || len(key) == 0 {
			return fmt.Errorf("key %d, %.60q, is none of a store with the comparer %s", i+1, key, c.Name)
		}
	}
	return nil
}

// Open describes the store in a directory as it is.
func Open(dir string, opts *pebble.Options, o *Overlaps) (*store.Store, store.Description, error) {
	st := store.Existing(dir, policy.Policy{Text: AsItIs}, opts, o.Truth())
	d, err := st.Describe()
	return st, d, err
}

// Refilter makes a copy of a store with the filters of a policy.
func Refilter(ctx context.Context, from *store.Store, dir string, p policy.Policy, opts *pebble.Options, keys [][]byte, progress func(bytes int64)) (*store.Store, store.Description, error) {
	begin := time.Now()
	if err := from.Copy(dir); err != nil {
		return nil, store.Description{}, err
	}
	told := int64(0)
	_, err := refilter.Run(ctx, dir, opts, p.Plan, refilter.Settings{Progress: func(r refilter.Report) {
		progress(r.DoneBytes - told)
		told = r.DoneBytes
	}})
	if err != nil {
		return nil, store.Description{}, err
	}
	elapsed := time.Since(begin)
	overlaps, err := Survey(ctx, dir, opts, keys)
	if err != nil {
		return nil, store.Description{}, err
	}
	st := store.Existing(dir, p, opts, overlaps.Truth())
	d, err := st.Describe()
	d.LoadSeconds = elapsed.Seconds()
	return st, d, err
}

// Workload is keys to look up, by their positions.
type Workload struct {
	Name string
	Keys []int
}

// Workloads are all keys, and, if there are both, those that are there and those
// that are not.
func (o *Overlaps) Workloads() []Workload {
	all := Workload{Name: "all keys"}
	present, absent := Workload{Name: "present keys"}, Workload{Name: "absent keys"}
	for i := range o.keys {
		all.Keys = append(all.Keys, i)
		part := &present
		if o.Absent[i] {
			part = &absent
		}
		part.Keys = append(part.Keys, i)
	}
	switch {
	case len(present.Keys) == 0:
		return []Workload{absent}
	case len(absent.Keys) == 0:
		return []Workload{present}
	}
	return []Workload{all, present, absent}
}

// Warmup is how many of the keys go before those that are measured, to open
// tables and to fill the cache: a fifth.
func (w Workload) Warmup() int { return len(w.Keys) / 5 }

// Measure looks the keys up in all stores of a Bench.
func (o *Overlaps) Measure(ctx context.Context, b *run.Bench, w Workload) (run.Workload, error) {
	b.Keys = nil
	absent := 0
	for _, i := range w.Keys {
		b.Keys = append(b.Keys, run.Key{Bytes: o.keys[i], Absent: o.Absent[i]})
		if o.Absent[i] {
			absent++
		}
	}
	b.Operations = len(w.Keys) - w.Warmup()
	done, err := b.Run(ctx, w.ycsb())
	done.Absent = float64(absent) / float64(len(w.Keys))
	return done, err
}

// Steps is how many operations Measure tells the Bench's Progress of.
func (w Workload) Steps(b *run.Bench) int {
	b.Operations, b.Keys = len(w.Keys)-w.Warmup(), []run.Key{}
	return b.Steps(w.ycsb())
}

func (w Workload) ycsb() ycsb.Workload {
	lookups := ycsb.Workload{Name: w.Name}
	lookups.Mix[ycsb.Read] = 1
	return lookups
}
