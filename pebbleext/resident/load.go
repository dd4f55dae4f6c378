package resident

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// load reads filters from their tables, in that order. After one that could not
// be read it waits, twice as long each time, up to a minute.
func (f *Filters) load(ctx context.Context, wanted []*entry) error {
	k := &f.keeper
	if k.turn < k.loadTurn {
		return nil
	}
	began := time.Now()
	for _, e := range wanted {
		// What is wanted changes while loads take their time.
		if ctx.Err() != nil || time.Since(began) > f.keeper.turnTime || f.keeper.changed.Load() {
			return nil
		}
		if err := f.loadOne(ctx, e); err != nil {
			k.failures++
			k.loadTurn = k.turn + min(1<<min(k.failures, maxDoublings), retryTurns)
			return err
		}
		k.failures = 0
	}
	return nil
}

func (f *Filters) loadOne(ctx context.Context, e *entry) error {
	filters, err := ondisk.ReadFilters(ctx, f.store.db, f.store.opts, e.file)
	block, read := filters.Block, len(filters.Block)+filters.IndexBytes
	f.pace(ctx, read+headBytes)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts.LoadedBytes += uint64(read)
	if err == nil {
		err = e.verify(block)
	}
	if err != nil {
		e.retry = f.keeper.turn + retryTurns
		if errors.Is(err, errOther) {
			f.counts.Rejected++
		}
		return fmt.Errorf("table %06d: %w", e.file, err)
	}
	if f.directory.find(e.id) == e && f.place(e, block) {
		f.counts.Loaded++
	}
	return nil
}

// errOther is for a block that is not the one that a table names.
var errOther = errors.New("the filter block is not the one that the table names")

// verify checks that a block is the one that a table names.
func (h head) verify(block []byte) error {
	if len(block) != h.size || identify(h.policy.Name(), block) != h.id {
		return errOther
	}
	return nil
}

// pace waits for as long as reading so many bytes may take.
func (f *Filters) pace(ctx context.Context, bytes int) {
	pause(ctx, time.Duration(float64(bytes)/float64(f.settings.LoadRate)*float64(time.Second)))
}
