package resident

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

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
		t, ok := f.keeper.files[file.number]
		switch {
		case ok && f.isCurrent(t):
		case ctx.Err() != nil || !f.canKnow():
			whole = false
			continue
		case time.Since(began) > f.keeper.turnTime:
			f.keeper.changed.Store(true)
			whole = false
			if t.failures == 0 {
				continue
			}
		default:
			err = errors.Join(err, f.learn(ctx, file, &t))
		}
		known[file.number] = t
	}
	f.keeper.files = known
	f.recount(files, whole)
	if whole {
		err = errors.Join(err, f.keeper.closeSaved())
	}
	return err
}

// isCurrent reports whether there is nothing to learn of a table: it is known
// and its entry was not dropped for a smaller budget, or it could not be read a
// moment ago.
func (f *Filters) isCurrent(t knownTable) bool {
	if t.failures > 0 {
		return time.Now().Before(t.retry)
	}
	return t.entry == nil || f.directory.find(t.entry.id) == t.entry
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
	t.retry = time.Now().Add(f.keeper.turnTime << min(t.failures, maxDoublings))
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
	block, err := f.keeper.saved.read(h)
	f.mu.Lock()
	defer f.mu.Unlock()
	t.entry = f.know(h, file.level, file.last)
	if t.entry == nil && !f.barred[h.id] { // no room any more
		return knownTable{failures: 1, retry: time.Now().Add(f.keeper.turnTime)}, err
	}
	if t.entry != nil && block != nil && f.place(t.entry, block) {
		f.counts.Restored++
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
	f.keeper.files = make(map[uint64]knownTable)
	for _, file := range files {
		if h, ok := f.keeper.saved.head(file.tag, f.store.opts.Filters); ok && f.canKnow() {
			t, failed := f.admit(file, h)
			err = errors.Join(err, failed)
			f.keeper.files[file.number] = t
		}
	}
	return err
}

// recount counts the tables of each entry, -1 for none any more. It drops those
// entries if the count is whole.
func (f *Filters) recount(files []tableFile, whole bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for e := range f.directory.all() {
		if e.tables > 0 {
			e.tables = -1
		}
	}
	for _, file := range files {
		e := f.keeper.files[file.number].entry
		if e == nil {
			continue
		}
		if e.tables <= 0 {
			e.tables, e.file, e.level = 0, file.number, file.level // the upmost comes first
		}
		e.tables++
	}
	if whole {
		gone := slices.Collect(f.directory.all())
		f.forget(slices.DeleteFunc(gone, func(e *entry) bool { return e.tables >= 0 }))
	}
}
