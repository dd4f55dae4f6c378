package resident

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

const (
	// turnTime is how often queries are counted and filters loaded, and
	// maxShare of the time what counting may take of a core.
	turnTime = 250 * time.Millisecond
	maxShare = 1. / 100
	// surveyTurns is how often tables are looked for that no event told of.
	surveyTurns = 40
	// orphanTurns is how long a filter that was handed over waits for its
	// table, which the end of its compaction brings. It is read where that takes
	// longer.
	orphanTurns = int(time.Minute / turnTime)
	// retryTurns is how long a filter that could not be read is left alone.
	retryTurns = int(time.Minute / turnTime)
	// samples is how many queries a second are counted at most, so that the
	// cores that count share few lines: the period is queries by samples.
	samples   = 20_000
	maxPeriod = 1 << 12
	// What was counted loses half of its weight with halfLife samples, and with
	// as many for each filter that halfLifeEach tells: of 256 samples one
	// standard deviation is 6 %, a tenth of a bit.
	halfLife     = 1 << 15
	halfLifeEach = 256
)

// background is the goroutine that keeps the bits in memory that pay.
type background struct {
	turnTime time.Duration
	cancel   context.CancelFunc
	done     sync.WaitGroup
	wake     chan struct{}
	changed  atomic.Bool // the store's tables, since they were listed

	// The goroutine's own.
	files           map[uint64]knownTable // by number
	saved           *savedFilters
	turn            int    // that of Filters.mu
	failures        int    // to load a filter, since one could be loaded
	loadTurn        int    // from which on to load filters
	bytes, accesses uint64 // written, and of the block cache, until the last turn
}

// knownTable is what is known of a file of tables.
type knownTable struct {
	filter *filter  // nil if it has none to ask
	tag    tableTag // 0 for a file on local disk
	// failures is how often it could not be read, and retry when to try again.
	failures int
	retry    time.Time
}

// tablesChanged is called when the store's tables have changed.
func (b *background) tablesChanged() {
	b.changed.Store(true)
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// run keeps the bits in memory that pay, until ctx ends.
func (f *Filters) run(ctx context.Context) {
	b := &f.background
	defer func() { f.report(b.closeSaved()) }()
	last := time.Now()
	for round := 1; ctx.Err() == nil; round++ {
		if f.guard.Seen() {
			f.report(errExternalFiles)
			return
		}
		if b.changed.Swap(false) || round%surveyTurns == 0 {
			err := f.survey(ctx)
			if errors.Is(err, pebble.ErrClosed) {
				return // its owner forgot the filters
			}
			f.report(err)
		}
		now := time.Now()
		f.watchWrites()
		wanted := f.count(now.Sub(last))
		last = now
		rest := time.Duration(float64(time.Since(now)) / maxShare)
		f.report(f.load(ctx, wanted))
		f.wait(ctx, max(b.turnTime, rest)-time.Since(now))
	}
}

// Written reports whether the store is written while it is read. It is true until
// that is known: filters that are asked meanwhile take memory, which a store that
// is written must win back.
func (f *Filters) Written() bool { return f.written.Load() }

// watchWrites finds out what Written reports.
func (f *Filters) watchWrites() {
	metrics, err := ondisk.Metrics(f.store.db)
	if err != nil {
		return
	}
	b := &f.background
	bytes, accesses := metrics.WAL.BytesIn, uint64(metrics.BlockCache.Hits+metrics.BlockCache.Misses)
	if bytes != b.bytes || accesses != b.accesses {
		before := b.accesses > 0 && f.written.Load()
		f.written.Store(isWritten(before, bytes-b.bytes, accesses-b.accesses))
	}
	b.bytes, b.accesses = bytes, accesses
}

// isWritten reports whether so many bytes were written in a turn that the store
// is taken to be: one for each four accesses of the block cache, and for each 16 to
// remain so. Lookups by filters in memory ask the cache less often than those by
// Get, so with one limit the answer would turn itself about, and each way wants
// other blocks in the cache.
func isWritten(before bool, bytes, accesses uint64) bool {
	perByte := uint64(4)
	if before {
		perByte = 16
	}
	return bytes*perByte > accesses
}

// wait waits until the next turn, which begins earlier if tables change.
func (f *Filters) wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-f.background.wake:
		// Tables that follow one another in short time are listed once.
		pause(ctx, f.background.turnTime/10)
	case <-time.After(d):
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

// level is what is asked of a level's filters, in numbers that age.
type level struct {
	use
	bytes float64 // of their blocks
}

// share estimates which share of queries is for keys that tables lack.
func (l *level) share() float64 {
	return (l.lacking + priorAnswers) / (l.answered + priorAnswers)
}

// expected is how often a new filter is expected to be asked: as others of its
// level for their size.
func (l *level) expected(size int) float64 {
	if l.bytes == 0 {
		return 0
	}
	return l.asked / l.bytes * float64(size)
}

// nearlyAll is which share of a level's queries filters in memory must answer to
// be all that pay, and stillMany to remain so: at the price some come and go.
const (
	nearlyAll = 0.95
	stillMany = 0.5
)

// Answering reports whether nearly all filters that lookups of late asked are in
// memory, but for those that do not pay. Before, those in the block cache can
// answer in their place.
func (f *Filters) Answering() bool { return f.answering.Load() }

// canAnswer finds out what Answering reports. Levels count alone: of a lookup that
// asks many tables of L0, L6 has few of the queries.
func (f *Filters) canAnswer() bool {
	least := nearlyAll
	if f.answering.Load() {
		least = stillMany
	}
	var waiting [numLevels + 1]float64
	for e := range f.directory.all() {
		if !e.isResident() && f.wantedBits(e) > 0 {
			waiting[e.mu.level+1] += e.mu.use.asked
		}
	}
	for i := range waiting {
		if waiting[i] > (1-least)*f.mu.levels[i].asked {
			return false
		}
	}
	return true
}

// count collects what queries counted, finds the price of memory, and returns
// the filters to load.
func (f *Filters) count(passed time.Duration) []*filter {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.passed += passed
	f.mu.turn = int(f.mu.passed / turnTime)
	f.background.turn = f.mu.turn
	asked, factor := f.collectAll()
	perSecond := float64(asked) / max(passed.Seconds(), 1e-3)
	f.period.Store(uint32(min(max(perSecond/samples, 1), maxPeriod)))
	if f.mu.memory.cache != nil {
		f.divide(factor)
	} else {
		f.mu.price = priceFor(f.allBids(), float64(f.room()), lowestPrice)
	}
	if asked > 0 {
		f.answering.Store(f.canAnswer())
	}
	return f.worthLoading()
}

// allBids returns the bids of all filters.
func (f *Filters) allBids() []bid {
	f.mu.bids = f.mu.bids[:0]
	for e := range f.directory.all() {
		f.mu.bids = append(f.mu.bids, f.bid(e))
	}
	return f.mu.bids
}

// collectAll collects and ages the counts of all filters and levels, and drops
// filters whose tables never came. It returns the new queries, and by which
// factor counts were aged.
func (f *Filters) collectAll() (asked uint64, factor float64) {
	period := float64(f.period.Load())
	weight := period * max(halfLife, halfLifeEach*float64(f.directory.count))
	factor = math.Exp2(-(float64(f.mu.asked) + f.mu.memory.accesses()) / weight)
	f.mu.levels = [numLevels + 1]level{}
	var orphans []*filter
	for e := range f.directory.all() {
		asked += f.collect(e, factor)
		if e.mu.tables == 0 && f.mu.turn-e.mu.born > orphanTurns {
			orphans = append(orphans, e)
			continue
		}
		l := &f.mu.levels[e.mu.level+1]
		l.asked += e.mu.use.asked
		l.answered += e.mu.use.answered
		l.lacking += e.mu.use.lacking
		l.bytes += float64(e.size)
	}
	f.forget(orphans)
	f.mu.asked = asked
	return asked, factor
}

// collect ages a filter's use and adds what is new, whose number it returns.
func (f *Filters) collect(e *filter, factor float64) (asked uint64) {
	asked, answered, denied := e.asked.Swap(0), e.answered.Swap(0), e.denied.Swap(0)
	e.mu.use.age(factor)
	e.mu.use.count(asked, answered, denied, e.rate())
	f.mu.counts.add(e.mu.level, asked, answered, denied)
	return asked
}
