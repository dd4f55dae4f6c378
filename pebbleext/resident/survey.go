package resident

import (
	"context"
	"errors"
	"fmt"
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
	known := make(map[uint64]*entry, len(files))
	whole, began := true, time.Now()
	for _, file := range files {
		e, ok := f.keeper.files[file.number()]
		if ok && e != nil {
			ok = f.directory.find(e.id) == e // it was not dropped for a smaller budget
		}
		if !ok {
			if ctx.Err() != nil || !f.canKnow() {
				whole = false
				continue
			}
			if time.Since(began) > f.keeper.turnTime {
				f.keeper.changed.Store(true)
				whole = false
				continue
			}
			var failed error
			e, failed = f.learn(ctx, file)
			err = errors.Join(err, failed)
		}
		known[file.number()] = e
	}
	f.keeper.files = known
	f.recount(files)
	if whole {
		f.dropOld()
		err = errors.Join(err, f.keeper.closeSaved())
	}
	return err
}

// learn returns the entry of a file's filter, nil if it has none that can be
// asked. If the filter was saved, it is read from there.
func (f *Filters) learn(ctx context.Context, file tableFile) (*entry, error) {
	head, err := f.store.readHead(ctx, file)
	f.pace(ctx, headBytes)
	if err != nil {
		return nil, fmt.Errorf("table %06d: %w", file.number(), err)
	}
	if head.size == 0 {
		return nil, nil
	}
	saved, err := f.keeper.saved.read(head)
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.know(head, file.level, file.last)
	if e != nil && saved != nil && f.place(e, saved) {
		f.counts.Restored++
	}
	return e, err
}

// recount counts the tables of each entry, -1 for none any more.
func (f *Filters) recount(files []tableFile) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for e := range f.directory.all() {
		if e.tables > 0 {
			e.tables = -1
		}
	}
	for _, file := range files {
		e := f.keeper.files[file.number()]
		if e == nil {
			continue
		}
		if e.tables <= 0 {
			e.tables, e.file = 0, file // the upmost comes first
		}
		e.tables++
		e.level = e.file.level
	}
}

// dropOld drops the entries whose tables are gone.
func (f *Filters) dropOld() {
	f.mu.Lock()
	defer f.mu.Unlock()
	var gone []*entry
	for e := range f.directory.all() {
		if e.tables < 0 {
			gone = append(gone, e)
		}
	}
	f.forget(gone)
}
