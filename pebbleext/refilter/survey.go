package refilter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/manifest"
)

// survey finds the tables of a store that lack the filters of a plan.
type survey struct {
	dir    string
	opts   *pebble.Options // with the plan, a copy
	plan   pebbleext.Plan
	tables []manifest.Table
}

func newSurvey(dir string, opts *pebble.Options, plan pebbleext.Plan) *survey {
	opts = opts.Clone()
	opts.Filters = maps.Clone(opts.Filters)
	pebbleext.Apply(opts, plan)
	opts.ReadOnly = false
	opts.ErrorIfNotExists = true
	opts.DisableAutomaticCompactions = false
	return &survey{dir: dir, opts: opts, plan: plan}
}

func (s *survey) fs() vfs.FS {
	if s.opts.FS != nil {
		return s.opts.FS
	}
	return vfs.Default
}

// lock keeps others from opening the store. It fails if there is no store.
func (s *survey) lock() (unlock func() error, err error) {
	desc, err := s.peek()
	if err != nil {
		return nil, err
	}
	if err := s.checkCompatible(desc); err != nil {
		return nil, err
	}
	if s.opts.Lock != nil {
		return func() error { return nil }, nil // the caller's
	}
	lock, err := pebble.LockDirectory(s.dir, s.fs())
	if err != nil {
		return nil, fmt.Errorf("%s is open in this or another process: %w", s.dir, err)
	}
	s.opts.Lock = lock
	return lock.Close, nil
}

func (s *survey) peek() (*pebble.DBDesc, error) {
	desc, err := pebble.Peek(s.dir, s.fs())
	if err != nil {
		return nil, err
	}
	if !desc.Exists {
		return nil, fmt.Errorf("%s: %w", s.dir, pebble.ErrDBDoesNotExist)
	}
	return desc, nil
}

// checkCompatible makes the checks of pebble.Open that need no open store.
func (s *survey) checkCompatible(desc *pebble.DBDesc) error {
	if desc.OptionsFilename == "" {
		return nil
	}
	text, err := readFile(s.fs(), desc.OptionsFilename)
	if err != nil {
		return err
	}
	return s.defaults().CheckCompatibility(s.dir, string(text))
}

func (s *survey) defaults() *pebble.Options {
	opts := s.opts.Clone()
	opts.FS = s.fs()
	opts.EnsureDefaults()
	return opts
}

// pending returns the tables without the plan's filters, from L0 down. The
// store must be locked and not open.
func (s *survey) pending(ctx context.Context) ([]manifest.Table, error) {
	desc, err := s.peek()
	if err != nil {
		return nil, err
	}
	file, err := s.fs().Open(desc.ManifestFilename)
	if err != nil {
		return nil, err
	}
	s.tables, err = manifest.Read(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.tables, func(a, b manifest.Table) int { return a.Level - b.Level })
	var pending []manifest.Table
	opts := s.defaults()
	for _, t := range s.tables {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ok, err := s.filtered(opts, t)
		if err != nil {
			return nil, fmt.Errorf("table %06d in L%d: %w", t.Number, t.Level, err)
		}
		if !ok {
			pending = append(pending, t)
		}
	}
	return pending, nil
}

// filtered reports whether a table has the plan's filter. It fails if the table
// must not be rewritten.
func (s *survey) filtered(opts *pebble.Options, t manifest.Table) (bool, error) {
	name := s.fs().PathJoin(s.dir, fmt.Sprintf("%06d.sst", t.Backing))
	filter, err := readTableFilter(s.fs(), name, opts.MakeReaderOptions())
	if errors.Is(err, os.ErrNotExist) {
		return false, fmt.Errorf("%w; tables in shared or external storage cannot be rewritten", err)
	}
	if err != nil {
		return false, err
	}
	if filter.as(s.plan[t.Level]) {
		return true, nil
	}
	return false, filter.checkCollectors(opts)
}

func (s *survey) report(pending []manifest.Table) Report {
	return Report{
		Tables: len(s.tables), Bytes: bytesOf(s.tables),
		Pending: len(pending), PendingBytes: bytesOf(pending),
	}
}

func readFile(fs vfs.FS, name string) ([]byte, error) {
	file, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(file)
	return text, errors.Join(err, file.Close())
}
