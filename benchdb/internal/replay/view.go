package replay

import (
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/pebbleext/inspect"
)

// View is a store that is open for reading.
type View struct {
	dir      string
	opts     *pebble.Options
	comparer *pebble.Comparer
	defaults *pebble.Options // opts with Pebble's defaults
	db       *pebble.DB
	levels   [][]pebble.SSTableInfo
}

// OpenView opens a checkpoint with the options of its store, the filters that are
// known here, a block cache of a size, and no compaction but those that refilter
// asks for.
func OpenView(dir string, cacheSize int64) (*View, error) {
	s, err := inspect.Open(dir)
	if err != nil {
		return nil, err
	}
	opts := s.Options()
	if err := s.Close(); err != nil {
		return nil, err
	}
	opts.CacheSize = cacheSize
	opts.L0CompactionThreshold, opts.L0StopWritesThreshold = math.MaxInt32, math.MaxInt32
	opts.L0CompactionFileThreshold = math.MaxInt32
	opts.LBaseMaxBytes = math.MaxInt64
	store.Measurable(opts)
	return openView(dir, opts)
}

func openView(dir string, opts *pebble.Options) (*View, error) {
	opts = opts.Clone()
	opts.ReadOnly = true
	db, err := pebble.Open(dir, opts)
	if err != nil {
		return nil, err
	}
	v := &View{dir: dir, opts: opts, defaults: opts.Clone(), db: db}
	v.defaults.EnsureDefaults()
	v.comparer = v.defaults.Comparer
	if v.levels, err = db.SSTables(pebble.WithProperties()); err != nil {
		_ = db.Close() // err came first
		return nil, err
	}
	return v, nil
}

// Close closes the store.
func (v *View) Close() error { return v.db.Close() }

// CheckKeys fails at a key that the store's comparer could not read.
func (v *View) CheckKeys(keys [][]byte) error {
	for i, key := range keys {
		if err := v.comparer.ValidateKey.Validate(key); err != nil || len(key) == 0 {
			return report.Usagef("--keys: key %d, %.60q, is none of a store with the comparer %s", i+1, key, v.comparer.Name)
		}
	}
	return nil
}

// has reports whether the store has a key.
func (v *View) has(key []byte) (bool, error) {
	_, closer, err := v.db.Get(key)
	if err == pebble.ErrNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, closer.Close()
}
