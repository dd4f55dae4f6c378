// Package store builds and opens the Pebble stores that benchdb measures.
package store

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/objectstore"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
)

// Settings are common to all stores of a run.
type Settings struct {
	// Records is at least MinRecords.
	Records   int
	CacheSize int64
	Values    *ycsb.Values
	ValueSize int
	Keys      ycsb.Keys
	// Split is how many bytes of a key are its prefix, 0 for all.
	Split int
	// Seed is that of the values, and Load how the store is made. They tell stores
	// that are kept from others.
	Seed uint64
	Load string
	// Bucket keeps the tables, if not nil.
	Bucket *objectstore.Bucket
}

func (s Settings) recordSize() int { return s.ValueSize + s.Keys.Size() }

// DataSize is the approximate size of a store's records in bytes.
func (s Settings) DataSize() int64 { return int64(s.Records) * int64(s.recordSize()) }

// Store is a store on disk, closed and complete.
type Store struct {
	Dir    string
	Policy policy.Policy
	// Writing is what Write cost, nil of other stores.
	Writing *Writing

	settings Settings
	options  func() *pebble.Options // for every view
	truth    *Truth
	seconds  float64 // that loading took
	within   func() (func(key []byte) bool, error)
}

func newStore(dir string, p policy.Policy, s Settings) *Store {
	return newStoreOf(dir, p, s, func() *pebble.Options { return s.options(dir) }, NewTruth())
}

// loadOptions are the options to make the store with.
func (s *Store) loadOptions() *pebble.Options {
	opts := s.options()
	opts.ErrorIfExists = true
	pebbleext.Apply(opts, pebbleext.Options{Plan: s.recorded()})
	opts.EnsureDefaults()
	return opts
}

// load makes the store and fills it.
func (s *Store) load(opts *pebble.Options, fill func(db *pebble.DB) error) error {
	begin := time.Now()
	db, err := pebble.Open(s.Dir, opts)
	if err != nil {
		return err
	}
	defer func() { s.seconds = time.Since(begin).Seconds() }()
	if s.settings.Bucket != nil {
		if err := db.SetCreatorID(creator); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	return errors.Join(fill(db), db.Close())
}

func newStoreOf(dir string, p policy.Policy, s Settings, options func() *pebble.Options, truth *Truth) *Store {
	st := &Store{Dir: dir, Policy: p, settings: s, options: options, truth: truth}
	st.within = sync.OnceValues(st.withinBottom)
	return st
}

// Existing is a store that another program wrote, which is to be read with
// options of its own. The truth has the blocks of its filters.
func Existing(dir string, p policy.Policy, opts *pebble.Options, truth *Truth) *Store {
	options := func() *pebble.Options {
		opts := opts.Clone()
		Measurable(opts)
		return opts
	}
	return newStoreOf(dir, p, Settings{CacheSize: opts.CacheSize}, options, truth)
}

// View is how to open a store.
type View struct {
	// Dir is the store's own directory or that of a copy.
	Dir string
	// Writable allows writes, flushes and compactions.
	Writable bool
	// CacheSize is the size of the block cache, 0 for that of the settings.
	CacheSize int64
	// Resident has filters share the block cache's memory, and FilterFile is where
	// they are saved.
	Resident   bool
	FilterFile string
	// Queries counts answers of filters, if not nil.
	Queries *QueryCounter
	// FS is the file system beneath the store.
	FS vfs.FS
	// Reads, if not nil, wraps FS and counts reads.
	Reads *diskio.CountFS
}

// Counter returns a counter of queries for the store and its copies.
func (s *Store) Counter() *QueryCounter { return s.truth.Counter() }

// CountReads returns a file system that counts reads for a View.
func (s *Store) CountReads(fs vfs.FS) *diskio.CountFS {
	return diskio.NewCountFS(fs, s.readerOptions())
}

// readerOptions are those that read the store's tables apart from the store.
func (s *Store) readerOptions() sstable.ReaderOptions {
	opts := s.options()
	opts.EnsureDefaults()
	return opts.MakeReaderOptions()
}

// Comparer is that of the store's keys.
func (s *Store) Comparer() *pebble.Comparer { return s.options().Comparer.EnsureDefaults() }

// Open opens the store or a copy of it.
func (s *Store) Open(v View) (*pebble.DB, error) {
	db, _, err := s.open(v)
	return db, err
}

// OpenWith is Open that also returns the store's Reader, to be closed before the
// store.
func (s *Store) OpenWith(v View) (*pebble.DB, *pebbleext.Reader, error) {
	db, setup, err := s.open(v)
	if err != nil {
		return db, nil, err
	}
	reader, err := setup.NewReader(db)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, reader, nil
}

// open also returns what the store was set up with.
func (s *Store) open(v View) (db *pebble.DB, setup *pebbleext.Setup, err error) {
	opts := s.options()
	opts.ErrorIfNotExists = true
	opts.ReadOnly = !v.Writable
	if v.CacheSize > 0 {
		opts.CacheSize = v.CacheSize
	}
	opts.FS = v.FS
	opts.Cache = pebble.NewCache(opts.CacheSize)
	defer opts.Cache.Unref() // the store has it
	options := pebbleext.Options{Plan: s.Policy.Plan, FilterMemory: -1, FilterFile: v.FilterFile}
	if v.Resident {
		options.FilterMemory = 0
	}
	if v.Queries != nil {
		options.Plan = s.recorded()
	}
	setup = pebbleext.Apply(opts, options)
	if v.Queries != nil {
		for name, p := range opts.Filters {
			opts.Filters[name] = v.Queries.Count(p)
		}
	}
	if v.Reads != nil {
		opts.FS = v.Reads
	}
	if db, err = pebble.Open(v.Dir, opts); err != nil {
		return nil, nil, err
	}
	return db, setup, nil
}

// recorded returns the plan with policies that note the keys of every filter
// block that the store will write.
func (s *Store) recorded() pebbleext.Plan {
	plan := s.Policy.Plan
	for level, p := range plan.Levels {
		if own, ok := p.(*filterpolicy.Policy); ok {
			p = own.ForLevel(level)
		}
		if p != nil && p != pebble.NoFilterPolicy {
			plan.Levels[level] = s.truth.Record(p, level)
		}
	}
	return plan
}

// Copy copies the store to a new directory. On the same file system it links
// the tables, which Pebble never changes.
func (s *Store) Copy(dir string) error {
	names, err := vfs.Default.List(s.Dir)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		from, to := filepath.Join(s.Dir, name), filepath.Join(dir, name)
		if ext := filepath.Ext(name); ext == ".sst" || ext == ".blob" {
			err = vfs.LinkOrCopy(vfs.Default, from, to)
		} else {
			err = copyFile(from, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyFile is vfs.Copy without waiting for the disk.
func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}

// options are the same for loading a store in dir and for every view of it, so
// that its levels keep their shape.
func (s Settings) options(dir string) *pebble.Options {
	opts := &pebble.Options{
		CacheSize:          s.CacheSize,
		FormatMajorVersion: pebble.FormatNewest,
		// The level above L5 holds 4 % of the records; see waves.
		LBaseMaxBytes: max(s.DataSize()/20, 1),
		MemTableSize:  uint64(min(max(s.DataSize()/50, 64<<10), 4<<20)),
	}
	if s.Split > 0 {
		opts.Comparer = splitComparer(s.Split)
	}
	if s.Bucket != nil {
		keepTablesIn(opts, s.Bucket, dir)
	}
	Measurable(opts)
	return opts
}

// Measurable makes what is measured of a store repeat.
func Measurable(opts *pebble.Options) {
	opts.Logger = silent{}
	// It comes back as an error; by default it ends the process.
	opts.AddEventListener(pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}})
	// Table statistics and sampled reads start compactions at times that differ
	// between runs.
	opts.DisableTableStats = true
	opts.Experimental.ReadSamplingMultiplier = -1
	// Only compactions may open a table for sequential reads: see diskio.CountFS.
	opts.Local.ReadaheadConfig = objstorageprovider.NewReadaheadConfig()
	opts.Local.ReadaheadConfig.Set(objstorageprovider.FadviseSequential, objstorageprovider.SysReadahead)
}

// silent drops Pebble's log.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	pebble.DefaultLogger.Fatalf(format, args...)
}
