package pebbleext

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// RefilterSettings say how Refilter does its work. The zero value does it all,
// as fast as it goes.
type RefilterSettings struct {
	// BytesPerSecond limits what compactions write, 0 does not. Less than
	// MinRefilterRate is an error.
	BytesPerSecond int64
	// DryRun ends after the checks and the survey of tables. Nothing is
	// written.
	DryRun bool
	// Progress, if not nil, is called at the beginning and whenever tables have
	// been rewritten, one call at a time.
	Progress func(RefilterReport)
}

// MinRefilterRate is the least RefilterSettings.BytesPerSecond, 1 MiB. Pebble
// takes a disk that writes more slowly for a faulty one.
const MinRefilterRate = 1 << 20

// RefilterReport is how far a Refilter is. Bytes are those of whole tables.
type RefilterReport struct {
	Tables       int // of the store at the beginning
	Bytes        int64
	Pending      int // of them, without the filters of the plan
	PendingBytes int64
	Done         int // of the pending ones, rewritten so far
	DoneBytes    int64
	Written      int64 // bytes written by compactions
	Elapsed      time.Duration
}

// Remaining estimates the time until the end from the time so far, 0 before
// there is anything to go by.
func (r RefilterReport) Remaining() time.Duration {
	if r.DoneBytes == 0 {
		return 0
	}
	left := float64(r.PendingBytes-r.DoneBytes) / float64(r.DoneBytes)
	return time.Duration(left * float64(r.Elapsed))
}

// Refilter gives every table of a store that is not open the filters that the
// plan has for its level, wherever the table lies. Tables that have them are
// left alone; see below for what that is told from. It returns when all tables
// have them, or with the first error.
//
// The options are those that the store is opened with by its application; they
// are not changed. Comparer, Merger, KeySchemas and BlockPropertyCollectors
// matter for what the tables will hold, and the target sizes, compression and
// block sizes for how. DisableAutomaticCompactions and ReadOnly do not count.
//
// # How
//
// Pebble can rewrite a table within its level, a compaction with one input that
// it uses for tables which older versions marked as in need of it. Refilter
// opens the store again and again, each time with marks on the tables of a
// step: about 1 % of the bytes to rewrite, but at least 64 MiB. Refilter writes
// no file of the store itself. So all that holds for Pebble's compactions holds
// here: point keys, deletions of all kinds, merge operands, range deletions,
// range keys, values in blob files and virtual tables keep their meaning and
// their sequence numbers, and at no moment does a crash, an I/O error or a full
// disk lose or change data. As in any compaction, keys that nobody can see any
// more are dropped.
//
// A done context ends Refilter after the tables being rewritten at that moment.
// Called again, after that, an error or a crash, it goes on with the tables
// that remain. Only some marks of the last step may stay behind: whoever opens
// the store next will rewrite those tables, at the lowest priority, with the
// policies it has.
//
// While the store is open, Pebble also makes the compactions that are due.
//
// # Refusals
//
// Before it writes anything, Refilter returns an error if the store is open
// elsewhere, of a format that Pebble 2.1.7 does not know, or of another
// comparer or merger; if tables have block properties without a collector in
// the options, which a rewrite would lose; if tables are in shared or external
// storage; or if the disk has not enough space for a step.
//
// # Which tables have their filters
//
// A filter of Gravel's is compared with one built by the plan's policy for as
// many keys: family, size, layout, k and choices; twochoice's rounds leave no
// trace. That costs the building of the filter. Of other policies the name
// counts. A table without point keys needs no filter.
//
// # Cost
//
// It reads and writes each pending table once, and reads the indexes of all
// tables twice. In BenchmarkRefilter, for 230 MB in L6, it writes 1.01 bytes for
// each byte of the store and takes 9.4 s per GB, a forced compaction 1.01 bytes
// and 8.7 s (medians of three rounds, two virtual cores of an Intel Xeon that
// were busy with other work).
func Refilter(ctx context.Context, dir string, opts *pebble.Options, plan Plan, settings RefilterSettings) (RefilterReport, error) {
	r := newRefilter(ctx, dir, opts, plan, settings)
	err := r.run(ctx)
	return r.now(), err
}

// RefilterInBackground prepares options so that the store, once opened with
// them, rewrites the tables that lack the plan's filters, beside all else that
// its application does and at the lowest priority of compactions; it also
// applies the plan to the options. How, and what it refuses, is as for Refilter;
// the report is that of a dry run. The store must be opened with the same
// options next. DisableAutomaticCompactions is an error.
//
// Metrics().Compact.MarkedFiles tells how many tables remain. If the store is
// closed before, the next Open goes on with them.
func RefilterInBackground(dir string, opts *pebble.Options, plan Plan, bytesPerSecond int64) (RefilterReport, error) {
	if err := checkRate(bytesPerSecond); err != nil {
		return RefilterReport{}, err
	}
	if opts.DisableAutomaticCompactions {
		return RefilterReport{}, errors.New("DisableAutomaticCompactions is set, so no table would be rewritten")
	}
	survey := newSurvey(dir, opts, plan)
	unlock, err := survey.lock()
	if err != nil {
		return RefilterReport{}, err
	}
	pending, err := survey.pending(context.Background())
	if err := errors.Join(err, unlock()); err != nil {
		return RefilterReport{}, err
	}
	Apply(opts, plan)
	if opts.FS == nil {
		opts.WithFSDefaults()
	}
	opts.FS = markingFS(opts.FS, pending, &pace{ctx: context.Background(), perSecond: bytesPerSecond})
	return survey.report(pending), nil
}

// refilter is a call of Refilter.
type refilter struct {
	*survey
	settings RefilterSettings
	begin    time.Time
	minStep  int64
	pace     *pace
	progress RefilterReport
}

// minStep is the least size of a step in bytes. A step opens and closes the
// store once, 10 to 20 ms for one of 2 GB, and rewrites 64 MiB in half a second
// or more.
const minStep = 64 << 20

func newRefilter(ctx context.Context, dir string, opts *pebble.Options, plan Plan, settings RefilterSettings) *refilter {
	return &refilter{
		survey:   newSurvey(dir, opts, plan),
		settings: settings,
		begin:    time.Now(),
		minStep:  minStep,
		pace:     &pace{ctx: ctx, perSecond: settings.BytesPerSecond},
	}
}

func (r *refilter) now() RefilterReport {
	report := r.progress
	report.Written = r.pace.written.Load()
	report.Elapsed = time.Since(r.begin)
	return report
}

func (r *refilter) run(ctx context.Context) (err error) {
	if err := checkRate(r.settings.BytesPerSecond); err != nil {
		return err
	}
	unlock, err := r.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	pending, err := r.pending(ctx)
	if err != nil {
		return err
	}
	r.progress = r.report(pending)
	r.tell()
	if r.settings.DryRun {
		return nil
	}
	for len(pending) > 0 {
		if err := r.steps(ctx, pending); err != nil {
			return err
		}
		// Compactions may have moved tables to levels of other policies.
		again, err := r.pending(ctx)
		if err != nil {
			return err
		}
		if bytesOf(again) >= bytesOf(pending) {
			return fmt.Errorf("%d tables have been rewritten and still lack the filters of the plan", len(again))
		}
		pending = again
		r.progress.Pending += len(again)
		r.progress.PendingBytes += bytesOf(again)
	}
	return nil
}

func checkRate(bytesPerSecond int64) error {
	if bytesPerSecond != 0 && bytesPerSecond < MinRefilterRate {
		return fmt.Errorf("a write rate of %d bytes per second; the least is %d, or 0 for no limit", bytesPerSecond, MinRefilterRate)
	}
	return nil
}

func (r *refilter) tell() {
	if r.settings.Progress != nil {
		r.settings.Progress(r.now())
	}
}

func (r *refilter) steps(ctx context.Context, pending []liveTable) error {
	size := max(r.minStep, bytesOf(pending)/100)
	if err := r.checkSpace(size, bytesOf(pending)); err != nil {
		return err
	}
	w := newRewriteWatch(pending)
	for len(pending) > 0 {
		n, bytes := 0, int64(0)
		for n < len(pending) && (n == 0 || bytes+int64(pending[n].size) <= size) {
			bytes += int64(pending[n].size)
			n++
		}
		if err := r.step(ctx, pending[:n], w); err != nil {
			return err
		}
		pending = w.rest(pending[n:])
	}
	return nil
}

// checkSpace demands room for the tables of a step beside their rewritten
// selves, and for all filters: a sixteenth is 13 bits for each record of 26
// bytes.
func (r *refilter) checkSpace(step, pending int64) error {
	usage, err := r.fs().GetDiskUsage(r.dir)
	if errors.Is(err, vfs.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	if need := uint64(min(step, pending) + pending/16); usage.AvailBytes < need {
		return fmt.Errorf("%s has %d bytes free; rewriting its tables needs %d", r.dir, usage.AvailBytes, need)
	}
	return nil
}

// step rewrites some tables.
func (r *refilter) step(ctx context.Context, tables []liveTable, w *rewriteWatch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	opts := r.opts.Clone()
	opts.FS = markingFS(r.fs(), tables, r.pace)
	opts.EventListener = w.listener(opts.EventListener)
	compactions := &gate{}
	opts.Experimental.CompactionScheduler = compactions
	db, err := pebble.Open(r.dir, opts)
	if err != nil {
		return err
	}
	compactions.lift()
	tell := func(tables int, bytes int64) {
		r.progress.Done += tables
		r.progress.DoneBytes += bytes
		r.tell()
	}
	err = errors.Join(w.wait(ctx, db, compactions, tell), db.Close())
	return errors.Join(err, w.take(tell)) // Close lets compactions end
}

func bytesOf(tables []liveTable) (sum int64) {
	for _, t := range tables {
		sum += int64(t.size)
	}
	return sum
}
