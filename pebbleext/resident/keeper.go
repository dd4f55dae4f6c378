package resident

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

const (
	// turnTime is how often the keeper counts, loads and evicts.
	turnTime = 250 * time.Millisecond
	// halfLife is the time in which what was counted loses half of its weight.
	halfLife = time.Minute
	// surveyTurns is how often the keeper looks for tables that no event told
	// of.
	surveyTurns = 40
	// orphanTurns is how long a filter that was handed over waits for its
	// table, which the end of its compaction brings.
	orphanTurns = int(30 * time.Minute / turnTime)
	// retryTurns is how long a filter that could not be read is left alone.
	retryTurns = int(time.Minute / turnTime)
	// samples is how many queries a second are counted at most, so that the
	// cores that count share few lines: the period is queries by samples.
	samples   = 20_000
	maxPeriod = 1 << 12
)

// keeper is the goroutine that keeps the right filters in memory.
type keeper struct {
	turnTime time.Duration
	cancel   context.CancelFunc
	done     sync.WaitGroup
	wake     chan struct{}
	changed  atomic.Bool // the store's tables, since they were listed

	// The goroutine's own.
	files map[uint64]knownTable // by number
	saved *savedFilters

	failures int // to load a filter, since one could be loaded
	loadTurn int // from which on to load filters

	// Of who holds Filters.mu.
	passed time.Duration              // since it began
	turn   int                        // in turnTime; what wakes it between turns does not count
	demand [numLevels + 1]levelDemand // by level, that of unknown ones first
}

// knownTable is what is known of a file of tables.
type knownTable struct {
	entry *entry // of its filter, nil if it has none to ask
	tag   tableTag
	// failures is how often it could not be read, and retry when to try again.
	failures int
	retry    time.Time
}

const numLevels = len(pebble.Options{}.Levels)

// levelDemand is what is asked of a level's filters.
type levelDemand struct{ asked, bytes float64 }

// listener is told when the store's tables change.
func (k *keeper) listener() pebble.EventListener {
	return pebble.EventListener{
		FlushEnd:      func(pebble.FlushInfo) { k.tablesChanged() },
		CompactionEnd: func(pebble.CompactionInfo) { k.tablesChanged() },
		TableDeleted:  func(pebble.TableDeleteInfo) { k.tablesChanged() },
		TableIngested: func(pebble.TableIngestInfo) { k.tablesChanged() },
	}
}

func (k *keeper) tablesChanged() {
	k.changed.Store(true)
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// keep runs until ctx ends.
func (f *Filters) keep(ctx context.Context) {
	defer func() { f.report(f.keeper.closeSaved()) }()
	ticker := time.NewTicker(f.keeper.turnTime)
	defer ticker.Stop()
	last := time.Now()
	for round := 1; ctx.Err() == nil; round++ {
		if f.guard.Seen() {
			f.report(errExternalFiles)
			return
		}
		if f.keeper.changed.Swap(false) || round%surveyTurns == 0 {
			err := f.survey(ctx)
			if errors.Is(err, pebble.ErrClosed) {
				return // its owner forgot the filters
			}
			f.report(err)
		}
		now := time.Now()
		wanted := f.count(now.Sub(last))
		last = now
		f.report(f.load(ctx, wanted))
		select {
		case <-ctx.Done():
		case <-f.keeper.wake:
			// Tables that follow one another in short time are listed once.
			pause(ctx, f.keeper.turnTime/10)
		case <-ticker.C:
		}
	}
}

// report tells of an error that is no sign of a table that has gone, or of the
// end.
func (f *Filters) report(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, context.Canceled) {
		f.store.report(err)
	}
}

// pause waits, for a shorter time if ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// count collects what queries counted and returns the filters to load.
func (f *Filters) count(passed time.Duration) []*entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keeper.passed += passed
	f.keeper.turn = int(f.keeper.passed / f.keeper.turnTime)
	factor := ageFactor(passed.Seconds())
	f.keeper.demand = [numLevels + 1]levelDemand{}
	var known, orphans []*entry
	var asked uint64
	for e := range f.directory.all() {
		asked += f.collect(e, factor)
		if e.tables == 0 && f.keeper.turn-e.born > orphanTurns {
			orphans = append(orphans, e)
			continue
		}
		known = append(known, e)
		d := &f.keeper.demand[e.level+1]
		d.asked += e.use.asked
		d.bytes += float64(e.size)
	}
	f.forget(orphans)
	perSecond := float64(asked) / max(passed.Seconds(), 1e-3)
	f.period.Store(uint32(min(max(perSecond/samples, 1), maxPeriod)))
	return f.wanted(known)
}

// collect ages an entry's use and adds what is new, whose number it returns.
func (f *Filters) collect(e *entry, factor float64) (asked uint64) {
	asked, answered, denied := e.asked.Swap(0), e.answered.Swap(0), e.denied.Swap(0)
	e.use.age(factor)
	e.use.asked += float64(asked)
	e.use.answered += float64(answered)
	e.use.denied += float64(denied)
	f.counts.Queries += asked
	f.counts.Answered += answered
	f.counts.Denied += denied
	return asked
}

// expected is how often a new filter is expected to be asked for: as others of
// its level for their size.
func (k *keeper) expected(e *entry) float64 {
	d := k.demand[e.level+1]
	if d.bytes == 0 {
		return 0
	}
	return d.asked / d.bytes * float64(e.size)
}
