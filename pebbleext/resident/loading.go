package resident

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// moreBits is by how many bits a filter must be short of those that pay, unless
// it has none: what is counted is a sample, and loading costs reads.
const moreBits = 0.25

// savedBytes is what a table that is not opened saves: an index block and a
// data block of 4 KiB.
const savedBytes = 8 << 10

// worthLoading returns the filters that have fewer bits in memory than pay, and
// whose missing bits saved more bytes of late than a load reads. They come in
// the order of what they save for each byte, within a factor of two.
func (f *Filters) worthLoading() (wanted []*filter) {
	var bySaving [64][]*filter
	for e := range f.directory.all() {
		if e.mu.tables <= 0 || e.mu.retry > f.mu.turn {
			continue
		}
		bid := f.bid(e)
		bits := bid.bits(f.mu.price)
		if bits == 0 || e.isResident() && bits < e.mu.bits+moreBits {
			continue
		}
		reads := e.missing(f.share(e)) * (e.rate() - rateOf(bits, bid.cut))
		if reads*savedBytes < float64(e.size) {
			continue
		}
		order := math.Ilogb(reads / (bid.bytes(bits) - bid.bytes(e.mu.bits)))
		i := min(max(len(bySaving)/2-order, 0), len(bySaving)-1)
		bySaving[i] = append(bySaving[i], e)
	}
	return slices.Concat(bySaving[:]...)
}

// load reads filters from their tables, in that order. After one that could not
// be read it waits, twice as long each time, up to a minute.
func (f *Filters) load(ctx context.Context, wanted []*filter) error {
	k := &f.background
	if k.turn < k.loadTurn {
		return nil
	}
	began := time.Now()
	for _, e := range wanted {
		// What is wanted changes while loads take their time.
		if ctx.Err() != nil || time.Since(began) > k.turnTime || k.changed.Load() {
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

func (f *Filters) loadOne(ctx context.Context, e *filter) error {
	file := f.fileOf(e)
	filters, err := ondisk.ReadFilters(ctx, f.store.db, f.store.opts, file)
	block, read := filters.Block, len(filters.Block)+filters.IndexBytes
	f.pace(ctx, read+headBytes)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.counts.LoadedBytes += uint64(read)
	if err == nil {
		err = e.verify(block)
	}
	if err != nil {
		e.mu.retry = f.mu.turn + retryTurns
		if errors.Is(err, errOther) {
			f.mu.counts.Rejected++
		}
		return fmt.Errorf("table %06d: %w", file, err)
	}
	if f.directory.find(e.id) == e && f.place(e, block) {
		f.mu.counts.Loaded++
	}
	return nil
}

func (f *Filters) fileOf(e *filter) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return e.mu.file
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
