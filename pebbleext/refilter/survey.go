package refilter

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// table is a table of the LSM.
type table struct {
	place
	size int64
	// backing is the number of the file that holds the table: its own, or
	// another's if the table is virtual, a part of that file.
	backing uint64
}

// place tells tables apart. One that moves to another level keeps its number.
type place struct {
	level  int
	number uint64
}

// survey finds the tables of a store that lack the filters of a plan.
type survey struct {
	dir     string
	opts    *pebble.Options // with the plan, a copy
	reading *pebble.Options // those with the defaults filled in
	plan    pebbleext.Plan
	tables  []table
}

func newSurvey(dir string, opts *pebble.Options, plan pebbleext.Plan) *survey {
	if plan == (pebbleext.Plan{}) {
		plan = pebbleext.DefaultPlan()
	}
	opts = opts.Clone()
	opts.Filters = maps.Clone(opts.Filters)
	pebbleext.Apply(opts, pebbleext.Options{Plan: plan})
	opts.ReadOnly = false
	opts.ErrorIfNotExists = true
	opts.DisableAutomaticCompactions = false
	if opts.FS == nil {
		opts.FS = vfs.Default
	}
	reading := opts.Clone()
	reading.EventListener = nil // the caller's, in which EnsureDefaults writes
	reading.EnsureDefaults()
	return &survey{dir: dir, opts: opts, reading: reading, plan: plan}
}

// check fails if there is no store, or one that is open.
func (s *survey) check() error {
	if _, err := ondisk.Peek(s.dir, s.opts.FS); err != nil || s.opts.Lock != nil { // the caller's lock
		return err
	}
	return ondisk.CheckClosed(s.dir, s.opts.FS)
}

// lock keeps others from opening the store.
func (s *survey) lock() (unlock func() error, err error) {
	if s.opts.Lock != nil {
		return func() error { return nil }, nil
	}
	s.opts.Lock, err = pebble.LockDirectory(s.dir, s.opts.FS)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be locked: %w", s.dir, err)
	}
	return s.opts.Lock.Close, nil
}

// pending returns the tables without the plan's filters, from L0 down.
func (s *survey) pending(ctx context.Context) (pending []table, err error) {
	db, err := ondisk.Open(s.dir, s.opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	levels, err := db.SSTables(pebble.WithProperties())
	if err != nil {
		return nil, ondisk.Named(s.dir, err)
	}
	s.tables = nil
	for level, infos := range levels {
		for _, info := range infos {
			t := table{place{level, uint64(info.FileNum)}, int64(info.Size), uint64(info.BackingSSTNum)}
			s.tables = append(s.tables, t)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			ok, err := s.filtered(ctx, db, level, info)
			if err != nil {
				return nil, ondisk.Named(s.dir, fmt.Errorf("table %06d in L%d: %w", t.number, level, err))
			}
			if !ok {
				pending = append(pending, t)
			}
		}
	}
	return pending, nil
}

// filtered reports whether a table has the plan's filters. It fails if the
// table must not be rewritten.
func (s *survey) filtered(ctx context.Context, db *pebble.DB, level int, t pebble.SSTableInfo) (bool, error) {
	ok, err := s.hasFilters(ctx, db, level, t)
	if ok || err != nil {
		return ok, err
	}
	if t.BackingType != pebble.BackingTypeLocal {
		return false, ondisk.As(ondisk.ErrRefused, "it is in shared or external storage, where it cannot be rewritten")
	}
	return false, checkCollectors(t.Properties, s.reading)
}

// begun is the report at the beginning.
func (s *survey) begun(pending []table) Report {
	return Report{
		Tables: len(s.tables), Bytes: bytesOf(s.tables),
		Pending: len(pending), PendingBytes: bytesOf(pending),
	}
}
