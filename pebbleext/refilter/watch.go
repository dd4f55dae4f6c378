package refilter

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// rewriteWatch follows what compactions do with pending tables: they rewrite
// the marked ones, and others when they are due.
type rewriteWatch struct {
	changed chan struct{} // has room for one signal

	mu      sync.Mutex
	left    map[uint64]int64 // sizes of pending tables, by number
	written map[place]bool   // tables, and where they were written
	done    int              // tables rewritten
	bytes   int64
	err     error // the first
}

func newRewriteWatch() *rewriteWatch {
	return &rewriteWatch{changed: make(chan struct{}, 1), left: map[uint64]int64{}, written: map[place]bool{}}
}

// expect adds tables to be rewritten.
func (w *rewriteWatch) expect(tables []table) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range tables {
		w.left[t.number] = t.size
	}
}

// wrote reports whether a compaction wrote a table for the level in which it
// is. A virtual table is as its file was written.
func (w *rewriteWatch) wrote(t table) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.written[place{t.level, t.backing}]
}

// listener returns a listener that calls another one, if not nil, too.
func (w *rewriteWatch) listener(other *pebble.EventListener) *pebble.EventListener {
	own := pebble.EventListener{
		CompactionEnd:   w.compactionEnd,
		BackgroundError: w.fail,
		// By default it ends the process. The compaction fails in any case.
		DataCorruption: func(pebble.DataCorruptionInfo) {},
	}
	if other != nil {
		own = pebble.TeeEventListener(*other, own)
	}
	return &own
}

func (w *rewriteWatch) compactionEnd(info pebble.CompactionInfo) {
	if info.Err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	outputs := map[uint64]bool{}
	for _, t := range info.Output.Tables {
		outputs[uint64(t.FileNum)] = true
	}
	for _, level := range info.Input {
		for _, t := range level.Tables {
			w.compacted(uint64(t.FileNum), outputs)
		}
	}
	for number := range outputs {
		w.written[place{info.Output.Level, number}] = true
	}
	w.signal()
}

// compacted takes a compaction's input off what is left, or off the outputs if
// it was only moved.
func (w *rewriteWatch) compacted(number uint64, outputs map[uint64]bool) {
	if outputs[number] {
		delete(outputs, number)
		return
	}
	if size, ok := w.left[number]; ok {
		delete(w.left, number)
		w.done++
		w.bytes += size
	}
}

func (w *rewriteWatch) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.signal()
}

func (w *rewriteWatch) signal() {
	select {
	case w.changed <- struct{}{}:
	default: // there is one to be seen
	}
}

// rest returns those of the tables that are still there.
func (w *rewriteWatch) rest(tables []table) (rest []table) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range tables {
		if _, ok := w.left[t.number]; ok {
			rest = append(rest, t)
		}
	}
	return rest
}

// rewritten returns how many pending tables are rewritten, and their bytes.
func (w *rewriteWatch) rewritten() (tables int, bytes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done, w.bytes
}

// failure returns the first error of compactions.
func (w *rewriteWatch) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// longestPause is how long Pebble may leave marked tables alone. It looks for
// one whenever a compaction ends.
const longestPause = 30 * time.Second

var errNoRewrite = errors.New("the store has stopped rewriting tables")

// wait returns when no marked table is left, at a failure of a compaction, or
// when the context is done. It calls tell whenever tables may have been
// rewritten.
func (w *rewriteWatch) wait(ctx context.Context, db *pebble.DB, compactions *gate, tell func()) error {
	check := time.NewTicker(time.Second)
	defer check.Stop()
	busy := time.Now()
	for {
		m := db.Metrics() // before tell, so that nothing done goes untold
		tell()
		if w.failure() != nil || m.Compact.MarkedFiles == 0 {
			return nil
		}
		if m.Compact.NumInProgress > 0 || m.Flush.NumInProgress > 0 {
			busy = time.Now()
		} else if time.Since(busy) > longestPause {
			return errNoRewrite
		}
		compactions.grant()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.changed:
		case <-check.C:
		}
	}
}
