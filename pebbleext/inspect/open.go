// Package inspect tells which filters a Pebble store on disk has, and what they
// let pass. It writes nothing.
//
//	store, err := inspect.Open(dir)
//	…
//	report, err := store.Report(ctx)
//	for _, row := range report.Rows {
//		fmt.Println(row.Level, row.Family, row.BitsPerKey(), row.Bytes)
//	}
package inspect

import (
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Store is a store that is open for inspection.
type Store struct {
	dir     string
	db      *pebble.DB
	options *pebble.Options // as Options returns them
	reading *pebble.Options // those with the defaults filled in
}

// Open opens the store in a directory. It reads the store in place, changes no
// file and holds no lock. Any program can then open the store once Open has
// returned; if compactions remove tables before they are inspected, reading
// these fails. A store that is open already, in this or another process, is
// [pebbleext.ErrLocked]; a program can inspect a checkpoint of its own
// (pebble.DB.Checkpoint).
//
// The store may have Pebble's own comparer or CockroachDB's, and any merger. An
// error is one line; it may also be [pebbleext.ErrNotStore] or
// [pebbleext.ErrUnknownComparer]. What is only in the write-ahead log has no
// filter yet, and is not seen.
func Open(dir string) (*Store, error) {
	desc, err := ondisk.Peek(dir, vfs.Default)
	if err != nil {
		return nil, err
	}
	if err := ondisk.CheckClosed(dir, vfs.Default); err != nil {
		return nil, err
	}
	opts, err := ondisk.Options(desc, vfs.Default, ondisk.ReadingHooks())
	if err != nil {
		return nil, err
	}
	opts.FS = vfs.Default
	opts.FormatMajorVersion = desc.FormatMajorVersion
	opts.WALDir, opts.WALFailover = "", nil
	opts.Unsafe.AllowMissingWALDirs = true
	pebbleext.Apply(opts, pebbleext.Options{Plan: pebbleext.Uniform(nil)})
	reading := opts.Clone()
	reading.EventListener = nil // that of opts, in which EnsureDefaults writes
	reading.EnsureDefaults()
	db, err := ondisk.Open(dir, reading)
	if err != nil {
		return nil, err
	}
	return &Store{dir: dir, db: db, options: opts, reading: reading}, nil
}

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

// Options returns options for opening a checkpoint of the store: those of its
// OPTIONS file, with the filters that are known here and without a write-ahead
// log. In place of a merger that is not Pebble's they have one that joins
// operands, so a merged value may differ from what the store would give.
func (s *Store) Options() *pebble.Options { return s.options.Clone() }

// Shape returns the store's shape, as levelplan.ReadShape does.
func (s *Store) Shape() (levelplan.Shape, error) {
	shape, err := levelplan.ReadShape(s.db, s.reading.Comparer)
	return shape, ondisk.Named(s.dir, err)
}
