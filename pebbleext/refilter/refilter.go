// Package refilter gives the tables of a store the filters of a level plan,
// without waiting for compactions to come by.
package refilter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// Settings say how Run does its work. The zero value does it all, as fast
// as it goes.
type Settings struct {
	// BytesPerSecond limits what compactions write, 0 does not. Less than
	// MinRate is an error.
	BytesPerSecond int64
	// DryRun ends after the checks and the survey of tables. Nothing is
	// written.
	DryRun bool
	// Progress, if not nil, is called at the beginning and whenever tables have
	// been rewritten, one call at a time.
	Progress func(Report)
}

// MinRate is the least Settings.BytesPerSecond, 1 MiB. Pebble
// takes a disk that writes more slowly for a faulty one.
const MinRate = 1 << 20

// Report is how far a Run is. Bytes are those of whole tables.
type Report struct {
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
func (r Report) Remaining() time.Duration {
	if r.DoneBytes == 0 {
		return 0
	}
	left := float64(r.PendingBytes-r.DoneBytes) / float64(r.DoneBytes)
	return time.Duration(left * float64(r.Elapsed))
}

// Run gives every table of a store that is not open the filters that the
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
// it uses for tables which older versions marked as in need of it. Run
// opens the store again and again, each time with marks on the tables of a
// step: about 1 % of the bytes to rewrite, but at least 64 MiB. Run writes
// no file of the store itself. So all that holds for Pebble's compactions holds
// here: point keys, deletions of all kinds, merge operands, range deletions,
// range keys, values in blob files and virtual tables keep their meaning and
// their sequence numbers, and at no moment does a crash, an I/O error or a full
// disk lose or change data. As in any compaction, keys that nobody can see any
// more are dropped.
//
// A done context ends Run after the tables being rewritten at that moment.
// Called again, after that, an error or a crash, it goes on with the tables
// that remain. Only some marks of the last step may stay behind: whoever opens
// the store next will rewrite those tables, at the lowest priority, with the
// policies it has.
//
// While the store is open, Pebble also makes the compactions that are due.
//
// # Refusals
//
// Before it writes anything, Run returns an error if the store is open
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
// tables twice. In BenchmarkRun, for 230 MB in L6, it writes 1.01 bytes for
// each byte of the store and takes 9.4 s per GB, a forced compaction 1.01 bytes
// and 8.7 s (medians of three rounds, two virtual cores of an Intel Xeon that
// were busy with other work).
func Run(ctx context.Context, dir string, opts *pebble.Options, plan pebbleext.Plan, settings Settings) (Report, error) {
	r := newRun(ctx, dir, opts, plan, settings)
	err := r.do(ctx)
	return r.now(), err
}

// InBackground prepares options so that the store, once opened with
// them, rewrites the tables that lack the plan's filters, beside all else that
// its application does and at the lowest priority of compactions; it also
// applies the plan to the options. How, and what it refuses, is as for Run;
// the report is that of a dry run. The store must be opened with the same
// options next. DisableAutomaticCompactions is an error.
//
// Metrics().Compact.MarkedFiles tells how many tables remain. If the store is
// closed before, the next Open goes on with them.
func InBackground(dir string, opts *pebble.Options, plan pebbleext.Plan, bytesPerSecond int64) (Report, error) {
	if err := checkRate(bytesPerSecond); err != nil {
		return Report{}, err
	}
	if opts.DisableAutomaticCompactions {
		return Report{}, errors.New("DisableAutomaticCompactions is set, so no table would be rewritten")
	}
	survey := newSurvey(dir, opts, plan)
	unlock, err := survey.lock(false)
	if err != nil {
		return Report{}, err
	}
	pending, err := survey.pending(context.Background())
	if err := errors.Join(err, unlock()); err != nil {
		return Report{}, err
	}
	pebbleext.Apply(opts, plan)
	if opts.FS == nil {
		opts.WithFSDefaults()
	}
	opts.FS = markingFS(opts.FS, pending, &pace{ctx: context.Background(), perSecond: bytesPerSecond})
	return survey.report(pending), nil
}

// run is a call of Run.
type run struct {
	*survey
	settings Settings
	begin    time.Time
	minStep  int64
	pace     *pace
	watch    *rewriteWatch
	progress Report
}

// minStep is the least size of a step in bytes. A step opens and closes the
// store once, 10 to 20 ms for one of 2 GB, and rewrites 64 MiB in half a second
// or more.
const minStep = 64 << 20

func newRun(ctx context.Context, dir string, opts *pebble.Options, plan pebbleext.Plan, settings Settings) *run {
	return &run{
		survey:   newSurvey(dir, opts, plan),
		settings: settings,
		begin:    time.Now(),
		minStep:  minStep,
		pace:     &pace{ctx: ctx, perSecond: settings.BytesPerSecond},
		watch:    newRewriteWatch(),
	}
}

func (r *run) now() Report {
	report := r.progress
	report.Written = r.pace.written.Load()
	report.Elapsed = time.Since(r.begin)
	return report
}

func (r *run) do(ctx context.Context) (err error) {
	if err := checkRate(r.settings.BytesPerSecond); err != nil {
		return err
	}
	unlock, err := r.lock(r.settings.DryRun)
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
			return ondisk.OneLine(fmt.Errorf("%w; %d of %d tables are rewritten, the others are as they were",
				err, r.progress.Done, r.progress.Pending))
		}
		// Compactions may have moved tables to levels of other policies.
		again, err := r.pending(ctx)
		if err != nil {
			return err
		}
		if err := r.checkProgress(pending, again); err != nil {
			return err
		}
		pending = again
		r.progress.Pending += len(again)
		r.progress.PendingBytes += bytesOf(again)
	}
	return nil
}

// checkProgress fails if a table is pending again that was at hand already.
func (r *run) checkProgress(pending, again []table) error {
	marked := map[place]bool{}
	for _, t := range pending {
		marked[t.place] = true
	}
	for _, t := range again {
		if marked[t.place] || r.watch.wrote(t) {
			return fmt.Errorf("table %06d in L%d has been rewritten and still lacks the filter of the plan", t.number, t.level)
		}
	}
	return nil
}

func checkRate(bytesPerSecond int64) error {
	if bytesPerSecond != 0 && bytesPerSecond < MinRate {
		return fmt.Errorf("a write rate of %d bytes per second; the least is %d, or 0 for no limit", bytesPerSecond, MinRate)
	}
	return nil
}

func (r *run) tell() {
	if r.settings.Progress != nil {
		r.settings.Progress(r.now())
	}
}

func (r *run) steps(ctx context.Context, pending []table) error {
	size := max(r.minStep, bytesOf(pending)/100)
	if err := r.checkSpace(size, bytesOf(pending)); err != nil {
		return err
	}
	r.watch.expect(pending)
	for len(pending) > 0 {
		n, bytes := 0, int64(0)
		for n < len(pending) && (n == 0 || bytes+pending[n].size <= size) {
			bytes += pending[n].size
			n++
		}
		if err := r.step(ctx, pending[:n]); err != nil {
			return err
		}
		pending = r.watch.rest(pending[n:])
	}
	return nil
}

// checkSpace demands room for the tables of a step beside their rewritten
// selves, and for all filters: a sixteenth is 13 bits for each record of 26
// bytes.
func (r *run) checkSpace(step, pending int64) error {
	usage, err := r.opts.FS.GetDiskUsage(r.dir)
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
func (r *run) step(ctx context.Context, tables []table) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	opts := r.opts.Clone()
	opts.FS = markingFS(r.opts.FS, tables, r.pace)
	opts.EventListener = r.watch.listener(opts.EventListener)
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
	err = errors.Join(r.watch.wait(ctx, db, compactions, tell), db.Close())
	return errors.Join(err, r.watch.take(tell)) // Close lets compactions end
}

func bytesOf(tables []table) (sum int64) {
	for _, t := range tables {
		sum += t.size
	}
	return sum
}
