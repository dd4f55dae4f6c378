package resident

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/gravelkv/gravel/pebbleext/internal/events"
	"github.com/gravelkv/gravel/pebbleext/internal/external"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// store is the Pebble store whose tables are read.
type store struct {
	db   *pebble.DB
	opts *pebble.Options // of which db has a copy
}

// report tells the store's owner of an error.
func (s *store) report(err error) { events.Report(s.opts, fmt.Errorf("resident filters: %w", err)) }

// tableFile is a file that holds a table, or several virtual ones.
type tableFile struct {
	number uint64
	level  int // the upmost
	// last is at or after the last prefix of its keys, nil if that is unknown.
	last []byte
	tag  tableTag // 0 for a file on local disk
}

// files lists the files of the store's tables.
func (s *store) files() ([]tableFile, error) {
	levels, err := ondisk.Tables(s.db)
	if err != nil {
		return nil, err
	}
	split := s.opts.Comparer.EnsureDefaults().Split
	var files []tableFile
	seen := make(map[uint64]bool)
	for level, tables := range levels {
		for _, t := range tables {
			file := tableFile{number: uint64(t.BackingSSTNum), level: level}
			if seen[file.number] {
				continue
			}
			seen[file.number] = true
			if t.BackingType != pebble.BackingTypeLocal {
				file.tag = newTableTag(t)
			}
			if !t.Virtual { // the bounds are those of the whole file
				file.last = t.Largest.UserKey[:split(t.Largest.UserKey)]
			}
			files = append(files, file)
		}
	}
	return files, nil
}

// head is what a table says of its filter.
type head struct {
	id     identity
	policy pebble.FilterPolicy
	size   int // of the block, 0 if there is none that can be asked
}

// headBytes is what reading a head reads: the footer, the list of blocks, the
// properties.
const headBytes = 12 << 10

// readHead reads a table's head.
func (s *store) readHead(ctx context.Context, file uint64) (h head, err error) {
	err = ondisk.WithTable(ctx, s.db, s.opts, file, func(_ objstorage.Readable, r *sstable.Reader) error {
		property := r.UserProperties[PropertyName]
		if len(property) == 0 {
			return nil // without its first byte, which is Pebble's
		}
		id, _, ok := parseProperty([]byte(property[1:]))
		if !ok {
			return nil
		}
		all, err := r.ReadPropertiesBlock(ctx, nil)
		if err != nil {
			return err
		}
		if policy, ok := s.opts.Filters[all.FilterPolicyName]; ok {
			h = head{id: id, policy: unwrap(policy), size: int(all.FilterSize)}
		}
		return nil
	})
	return h, err
}

// A table can show its keys under a synthetic prefix that they do not have in
// its file. It has the property of that file, and nothing tells a
// pebble.BlockPropertyFilter that the filter holds other keys. Pebble makes
// such tables, always virtual ones, of external files in object storage, and a
// download may leave one behind.

// errExternalFiles is the pebbleext.ErrRefused of a store that shows external
// files.
var errExternalFiles = ondisk.As(ondisk.ErrRefused, "resident filters cannot be used with external files, "+
	"whose tables may show their keys under a synthetic prefix")

// refuse returns errExternalFiles if the store shows external files, or else
// the guard that tells if it does later, and the filters that tables with a
// synthetic prefix may name: those of virtual tables that are there already.
// Others will be what a deletion of a range leaves, and are right.
func (s *store) refuse() (guard *external.Guard, barred map[identity]bool, err error) {
	guard, err = external.Of(s.db, s.opts)
	if err != nil {
		return nil, nil, fmt.Errorf("resident filters: %w", err)
	}
	if guard.Seen() {
		return nil, nil, errExternalFiles
	}
	levels, err := ondisk.Tables(s.db)
	if err != nil {
		return nil, nil, err
	}
	barred = make(map[identity]bool)
	for _, tables := range levels {
		for _, t := range tables {
			if !external.MayRename(t) {
				continue
			}
			h, err := s.readHead(context.Background(), uint64(t.BackingSSTNum))
			if errors.Is(err, fs.ErrNotExist) {
				continue // compacted since, into tables that show their own keys
			}
			if err != nil {
				return nil, nil, err
			}
			barred[h.id] = true
		}
	}
	return guard, barred, nil
}

// survey lists the store's tables and reads which filters those have that are
// new, for about a turn's time; what is left is left to the next turn. Entries
// that had tables and have none are dropped.
func (f *Filters) survey(ctx context.Context) error {
	files, err := f.store.files()
	if err != nil {
		return err
	}
	known := make(map[uint64]knownTable, len(files))
	whole, began := true, time.Now()
	for _, file := range files {
		t, ok := f.background.files[file.number]
		switch {
		case ok && f.isCurrent(t):
		case ctx.Err() != nil || !f.canKnow():
			whole = false
			continue
		case time.Since(began) > f.background.turnTime:
			f.background.changed.Store(true)
			whole = false
			if t.failures == 0 {
				continue
			}
		default:
			err = errors.Join(err, f.learn(ctx, file, &t))
		}
		known[file.number] = t
	}
	f.background.files = known
	f.recount(files, whole)
	if whole {
		err = errors.Join(err, f.background.closeSaved())
	}
	return err
}

// isCurrent reports whether there is nothing to learn of a table: it is known
// and its filter was not dropped for a smaller budget, or it could not be read a
// moment ago.
func (f *Filters) isCurrent(t knownTable) bool {
	if t.failures > 0 {
		return time.Now().Before(t.retry)
	}
	return t.filter == nil || f.directory.find(t.filter.id) == t.filter
}

// learn finds out which filter a file's tables have.
func (f *Filters) learn(ctx context.Context, file tableFile, t *knownTable) error {
	h, err := f.store.readHead(ctx, file.number)
	f.pace(ctx, headBytes)
	if err == nil {
		*t, err = f.admit(file, h)
		return err
	}
	t.failures++
	t.retry = time.Now().Add(f.background.turnTime << min(t.failures, maxDoublings))
	return fmt.Errorf("table %06d: %w", file.number, err)
}

// maxDoublings bounds the time between attempts to read a table to 4 minutes.
const maxDoublings = 10

// admit makes the filter that a file's tables have known. If it was saved, it
// is read from there.
func (f *Filters) admit(file tableFile, h head) (t knownTable, err error) {
	t.tag = file.tag
	if h.size == 0 {
		return t, nil
	}
	block, err := f.background.saved.read(h)
	f.mu.Lock()
	defer f.mu.Unlock()
	t.filter = f.know(h, file.level, file.last)
	if t.filter == nil && !f.mu.barred[h.id] { // no room any more
		return knownTable{failures: 1, retry: time.Now().Add(f.background.turnTime)}, err
	}
	f.allow(roundUp(len(block)) - f.free())
	if t.filter != nil && block != nil && f.place(t.filter, block) {
		f.mu.counts.Restored++
	}
	return t, err
}

// restore makes the tables in object storage known whose filters were saved. It
// reads nothing of them: a process that begins anew asks for none that it knew.
func (f *Filters) restore() error {
	err := f.openSaved()
	if err != nil {
		return err
	}
	files, err := f.store.files()
	f.background.files = make(map[uint64]knownTable)
	for _, file := range files {
		if h, ok := f.background.saved.head(file.tag, f.store.opts.Filters); ok && f.canKnow() {
			t, failed := f.admit(file, h)
			err = errors.Join(err, failed)
			f.background.files[file.number] = t
		}
	}
	return err
}

// recount counts the tables of each filter, -1 for none any more. It drops those
// filters if the count is whole.
func (f *Filters) recount(files []tableFile, whole bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for e := range f.directory.all() {
		if e.mu.tables > 0 {
			e.mu.tables = -1
		}
	}
	for _, file := range files {
		e := f.background.files[file.number].filter
		if e == nil {
			continue
		}
		if e.mu.tables <= 0 {
			e.mu.tables, e.mu.file, e.mu.level = 0, file.number, file.level // the upmost comes first
		}
		e.mu.tables++
	}
	if whole {
		gone := slices.Collect(f.directory.all())
		f.forget(slices.DeleteFunc(gone, func(e *filter) bool { return e.mu.tables >= 0 }))
	}
}
