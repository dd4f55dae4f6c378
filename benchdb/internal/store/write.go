package store

import (
	"context"
	"runtime"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/prometheus/procfs"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
)

// Writing is what it cost to write a store's records.
type Writing struct {
	// Seconds are those until flushes and compactions have settled.
	Seconds float64 `json:"seconds"`
	// Processor is the time of all cores in seconds, 0 where it is not known.
	Processor float64 `json:"processor_seconds"`
	// Flushed and Compacted are bytes of tables.
	Flushed   int64 `json:"flushed_bytes"`
	Compacted int64 `json:"compacted_bytes"`
	// Filters is what building filters took of that.
	Filters BuildCost `json:"filters"`
}

// Write makes a store in an empty directory through writes, flushes and
// compactions, and waits until those have settled. No two stores made so have
// the same shape.
func Write(ctx context.Context, dir string, p policy.Policy, s Settings, progress func(records int)) (*Store, error) {
	runtime.GC() // what the store before left is not this one's
	st := newStore(dir, p, s)
	return st, st.load(st.loadOptions(), func(db *pebble.DB) error {
		begin, processor := time.Now(), processorSeconds()
		if err := st.write(ctx, db, progress); err != nil {
			return err
		}
		end, err := settle(ctx, db)
		if err != nil {
			return err
		}
		st.Writing = &Writing{Seconds: end.Sub(begin).Seconds(), Processor: processorSeconds() - processor, Filters: st.truth.Built()}
		for _, level := range db.Metrics().Levels {
			st.Writing.Flushed += int64(level.TableBytesFlushed)
			st.Writing.Compacted += int64(level.TableBytesCompacted)
		}
		return nil
	})
}

// processorSeconds is the time that this process has had on all cores.
func processorSeconds() float64 {
	self, err := procfs.Self()
	if err != nil {
		return 0
	}
	stat, err := self.Stat()
	if err != nil {
		return 0
	}
	return stat.CPUTime()
}

func (s *Store) write(ctx context.Context, db *pebble.DB, progress func(int)) error {
	const step = 1000
	var key []byte
	for n := range uint64(s.settings.Records) {
		if n%step == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			progress(min(step, s.settings.Records-int(n)))
		}
		key = s.settings.Keys.Append(key[:0], n)
		if err := db.Set(key, s.settings.Values.Of(n), pebble.NoSync); err != nil {
			return err
		}
	}
	return db.Flush()
}

// settle waits until no compaction has run for a while, and returns when the last
// did.
func settle(ctx context.Context, db *pebble.DB) (end time.Time, err error) {
	const pause, quiet = 10 * time.Millisecond, 5
	end = time.Now()
	for still := 0; still < quiet; still++ {
		select {
		case <-ctx.Done():
			return end, ctx.Err()
		case <-time.After(pause):
		}
		if m := db.Metrics(); m.Compact.NumInProgress+m.Flush.NumInProgress > 0 {
			still, end = 0, time.Now()
		}
	}
	return end, nil
}
