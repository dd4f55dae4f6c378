package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
	"github.com/gravelkv/gravel/pebbleext"
)

// worker runs the operations of one thread.
type worker struct {
	db  *pebble.DB
	get func(key []byte) ([]byte, io.Closer, error)
	// bounded makes iterators with bounds, or is nil for those of pebble.DB.
	bounded *pebbleext.Reader
	l6      bool // scans of a prefix seek it by the filters of all levels
	next    source
	records *ycsb.Records
	values  *ycsb.Values
	form    ycsb.Keys
	// verify compares each value read, which takes time.
	verify bool

	// chunk is how many operations are drawn before they run, so that drawing
	// is not timed. It is one if there are inserts, which later operations
	// depend on.
	chunk      int
	operations []ycsb.Operation
	keys       [][]byte

	// gap is the mean time from one arrival of an operation to the next, or 0 if
	// each begins when the one before is done.
	gap      time.Duration
	arrivals *rand.Rand
	late     time.Duration // since the last arrival, when its operation was done

	// Since reset: the time that operations took, from their arrival on, and that
	// from the first to the last.
	busy, elapsed time.Duration
	latency       [ycsb.Kinds]*hdrhistogram.Histogram
}

// newHistogram tracks 1 ns to 1 minute with three digits.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, time.Minute.Nanoseconds(), 3)
}

func (w *worker) reset() {
	w.busy, w.elapsed = 0, 0
	for kind, h := range w.latency {
		if h == nil {
			w.latency[kind] = newHistogram()
		} else {
			h.Reset()
		}
	}
}

// run does n operations.
func (w *worker) run(ctx context.Context, n int) error {
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		size := min(n, w.chunk)
		w.draw(size)
		if err := w.each(); err != nil {
			return err
		}
		n -= size
	}
	return nil
}

func (w *worker) draw(n int) {
	w.operations = w.operations[:0]
	for len(w.keys) < n {
		w.keys = append(w.keys, nil)
	}
	for i := range n {
		op, key := w.next(w.keys[i][:0])
		w.operations = append(w.operations, op)
		w.keys[i] = key
	}
}

// each runs the drawn operations one by one, with one reading of the clock for
// each. Time between calls is nobody's.
func (w *worker) each() error {
	begin := time.Now()
	now, arrived := begin, begin.Add(-w.late)
	for i, op := range w.operations {
		if w.gap == 0 {
			arrived = now
		} else {
			arrived = arrived.Add(time.Duration(w.arrivals.ExpFloat64() * float64(w.gap)))
			waitFor(arrived)
		}
		if err := w.do(op, w.keys[i]); err != nil {
			return fmt.Errorf("%s of %.60q: %w", op.Kind, w.keys[i], err)
		}
		now = time.Now()
		w.observe(op.Kind, now.Sub(arrived))
	}
	w.late = now.Sub(arrived)
	w.elapsed += now.Sub(begin)
	return nil
}

// waitFor waits until a time. Sleeping takes a millisecond too long at times.
func waitFor(t time.Time) {
	const imprecise = 2 * time.Millisecond
	for left := time.Until(t); left > 0; left = time.Until(t) {
		if left > imprecise {
			time.Sleep(left - imprecise)
		}
		runtime.Gosched()
	}
}

func (w *worker) observe(kind ycsb.Kind, d time.Duration) {
	w.busy += d
	limit := w.latency[kind].HighestTrackableValue()
	_ = w.latency[kind].RecordValue(min(d.Nanoseconds(), limit)) // fails above the limit only
}

func (w *worker) do(op ycsb.Operation, key []byte) error {
	switch op.Kind {
	case ycsb.Read:
		return w.read(op, key)
	case ycsb.Scan:
		return w.scan(op, key)
	case ycsb.ReadModifyWrite, ycsb.UniqueInsert:
		op.Absent = op.Kind == ycsb.UniqueInsert
		if err := w.read(op, key); err != nil {
			return err
		}
	}
	value := w.values.Of(op.Number)
	if op.ValueSize > 0 {
		value = w.values.OfSize(op.Number, op.ValueSize)
	}
	if err := w.db.Set(key, value, pebble.NoSync); err != nil {
		return err
	}
	if op.Kind == ycsb.Insert || op.Kind == ycsb.UniqueInsert {
		w.records.Acknowledge(op.Number)
	}
	return nil
}

func (w *worker) read(op ycsb.Operation, key []byte) error {
	value, closer, err := w.get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return checkFound(op, false)
	}
	if err != nil {
		return err
	}
	err = errors.Join(checkFound(op, true), w.check(op, value))
	return errors.Join(err, closer.Close())
}

func checkFound(op ycsb.Operation, found bool) error {
	switch {
	case found && op.Absent:
		return errors.New("an absent key was found")
	case !found && !op.Absent:
		return errors.New("a record was not found")
	}
	return nil
}

func (w *worker) check(op ycsb.Operation, value []byte) error {
	if w.verify && !bytes.Equal(value, w.values.OfSize(op.Number, len(value))) {
		return errors.New("a record has another value")
	}
	return nil
}

// scan reads the records within bounds, or up to op.Length from the key on.
func (w *worker) scan(op ycsb.Operation, key []byte) error {
	iter, err := w.newIter(op, key)
	if err != nil {
		return err
	}
	first, most := iter.First, math.MaxInt
	switch {
	case op.Scans == ycsb.Lengths:
		first, most = func() bool { return iter.SeekGE(key) }, op.Length
	case w.l6:
		first = func() bool { return iter.SeekPrefixGE(key[:min(op.Prefix, len(key))]) }
	}
	found := op.Absent
	for valid, n := first(), 0; valid && n < most; valid, n = iter.Next(), n+1 {
		found = found || bytes.Equal(iter.Key(), key)
		if _, err := iter.ValueAndErr(); err != nil {
			return errors.Join(err, iter.Close())
		}
	}
	if !found {
		err = errors.New("a record was not found")
	}
	return errors.Join(err, iter.Close())
}

// newIter returns an iterator with the bounds of a scan.
func (w *worker) newIter(op ycsb.Operation, key []byte) (*pebble.Iterator, error) {
	if op.Scans == ycsb.Lengths {
		return w.db.NewIter(nil)
	}
	prefix := key[:min(op.Prefix, len(key))]
	lower, upper := w.bounds(op, key, prefix)
	options := &pebble.IterOptions{LowerBound: lower, UpperBound: upper, UseL6Filters: w.l6}
	if w.bounded == nil {
		return w.db.NewIter(options)
	}
	iter, err := w.bounded.NewPrefixIter(prefix, options)
	if err != nil {
		return nil, err
	}
	return iter.Iterator, nil
}

// bounds returns those of a scan. The prefix of an absent key has a record in one
// case of a thousand.
func (w *worker) bounds(op ycsb.Operation, key, prefix []byte) (lower, upper []byte) {
	switch op.Scans {
	case ycsb.Prefixes: // the end is longer than any key
		return prefix, append(bytes.Clone(prefix), bytes.Repeat([]byte{0xff}, w.form.Size())...)
	default:
		return w.form.AppendAt(nil, op.Lower), w.form.AppendAt(nil, op.Upper)
	}
}

// getWithL6 looks a key up as Pebble can with the filters of all levels.
func getWithL6(db *pebble.DB, key []byte) ([]byte, io.Closer, error) {
	iter, err := db.NewIter(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		return nil, nil, err
	}
	if !iter.SeekPrefixGE(key) || !bytes.Equal(iter.Key(), key) {
		if err := iter.Close(); err != nil {
			return nil, nil, err
		}
		return nil, nil, pebble.ErrNotFound
	}
	value, err := iter.ValueAndErr()
	if err != nil {
		return nil, nil, errors.Join(err, iter.Close())
	}
	return value, iter, nil
}
