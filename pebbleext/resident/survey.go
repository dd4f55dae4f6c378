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
		if !ok {
			if time.Since(began) > turnTime || ctx.Err() != nil {
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
	if !whole {
		f.keeper.changed.Store(true)
	}
	f.recount(files, whole)
	if whole {
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

// recount counts the tables of each entry.
func (f *Filters) recount(files []tableFile, whole bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	tables := make(map[*entry]int)
	for _, file := range files {
		e := f.keeper.files[file.number()]
		if e == nil {
			continue
		}
		if tables[e] == 0 {
			e.level = file.level
		}
		e.level = min(e.level, file.level)
		e.file = file
		tables[e]++
	}
	if !whole {
		return
	}
	var gone []*entry
	for e := range f.directory.all() {
		if e.tables > 0 && tables[e] == 0 {
			gone = append(gone, e)
		}
		e.tables = tables[e]
	}
	f.forget(gone)
}
