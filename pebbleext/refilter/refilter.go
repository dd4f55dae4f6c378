// Package refilter gives the tables of a store that exists the filters of a
// level plan.
//
//	report, err := refilter.Run(ctx, dir, opts, plan, refilter.Settings{})
//
// With [pebbleext.Apply] alone only new tables have the plan's filters, and a
// table of L6 may stay as it is for months. [Run] rewrites the tables that lack
// them while the store is closed, [InBackground] while it is open. Either can
// be stopped at any time, and the next one goes on with the tables that remain.
// A program without Gravel reads tables with Gravel's filters as if they had none.
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

// Settings say how Run does its work. The zero value does all of it, as fast as
// it goes.
type Settings struct {
	// BytesPerSecond limits what compactions write; 0 is no limit. Other rates
	// below MinRate are an error.
	BytesPerSecond int64
	// DryRun ends after the checks and the survey of tables. Nothing is
	// written, so it also works where nothing can be.
	DryRun bool
	// Progress, if not nil, is called at the beginning and whenever tables have
	// been rewritten, one call at a time.
	Progress func(Report)
}

// MinRate is the least Settings.BytesPerSecond, 1 MiB. Pebble takes a disk that
// writes more slowly for a faulty one.
const MinRate = 1 << 20

// Report is how far Run has come. Bytes are those of whole tables.
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

// Run gives every table of a store the filters that the plan has for its level;
// the zero Plan stands for [pebbleext.DefaultPlan].
// The store must not be open. Run leaves tables alone that have their filters.
// It returns when all have them, or at the first error, which says what has
// been done.
//
// The options are those with which the store's own program opens it, see also
// [StoredOptions]; they are not changed. Comparer, Merger, KeySchemas and
// BlockPropertyCollectors shape what the tables will hold. Target sizes, block
// sizes and compression shape how they hold it. DisableAutomaticCompactions and
// ReadOnly are ignored.
//
// # How
//
// Pebble rewrites a table that is marked in the MANIFEST as in need of
// compaction within its level. Run opens the store again and again, and each
// time shows Pebble marks on the next tables: about 1 % of the bytes to rewrite,
// and at least 64 MiB. Pebble makes the rewrites; Run itself writes no file of
// the store. So they are as safe as all compactions: keys, values, deletions of
// all kinds, range keys and sequence numbers stay what they are, and no crash,
// I/O error or full disk loses any. Keys that nobody can see any more are
// dropped. While the store is open, Pebble also makes the compactions that are
// due.
//
// A done context ends Run after the tables that are being rewritten at that
// moment. After that, an error or a crash, another Run goes on with the tables
// that remain. Marks of the last step may stay in the store: its program then
// rewrites those tables, at the lowest priority, with the policies it has.
//
// # Refusals
//
// Run returns an error before it writes anything
//   - if there is no store ([pebbleext.ErrNotStore]), it is open
//     ([pebbleext.ErrLocked]), or Pebble 2.1.7 cannot open it;
//   - if its comparer ([pebbleext.ErrUnknownComparer]) or merger is not that of
//     the options;
//   - if a table has block properties of a collector that the options lack,
//     because a rewrite would lose them ([pebbleext.ErrRefused]);
//   - if a table to rewrite is in shared or external storage
//     ([pebbleext.ErrRefused]): other stores may show the same object, and a
//     rewrite would give this one a copy of its own, beside the object that
//     they keep and pay for. Compactions that are due anyway bring the filters;
//   - if the disk has no space for a step and for the filters.
//
// # Which tables have their filters
//
// A filter of Gravel's is the plan's if its policy writes blocks of that
// family, size and layout for as many keys. The rounds of twochoice leave no
// trace. Of other policies only the name counts. Index filters are those of the
// options' collector if their bits are the same. A table without point keys
// needs none.
//
// A table must also name its filter, so that package resident can keep it in
// memory. Tables that were written without [pebbleext.Apply] do not.
//
// # Cost
//
// Run reads and writes each pending table once. It reads the indexes of all
// tables with filters of Gravel's twice. In BenchmarkRun, for 230 MB in L6, it
// writes 1.01 bytes for each byte of the store, as a forced compaction does,
// and takes 11 s per GB, 1.4 times as long (medians of five rounds, on two
// cores of an AMD EPYC that were busy with other work).
func Run(ctx context.Context, dir string, opts *pebble.Options, plan pebbleext.Plan, settings Settings) (Report, error) {
	r := newRun(ctx, dir, opts, plan, settings)
	err := r.do(ctx)
	return r.now(), err
}

// InBackground applies a plan to options, and prepares them so that the store,
// once opened with them, rewrites the tables that lack the plan's filters while
// its program uses it, at the lowest priority of compactions. It works and
// refuses as Run does, and its report is that of a dry run. The store must be
// opened with these options next, by [pebbleext.Open] with the same plan, or by
// pebble.Open. DisableAutomaticCompactions is an error.
//
// Metrics().Compact.MarkedFiles is the number of tables that remain. If the
// store is closed before, the next Open goes on with them.
func InBackground(dir string, opts *pebble.Options, plan pebbleext.Plan, bytesPerSecond int64) (Report, error) {
	if err := checkRate(bytesPerSecond); err != nil {
		return Report{}, err
	}
	if opts == nil {
		return Report{}, errors.New("the options are nil; they must be those that the store is opened with next")
	}
	if opts.DisableAutomaticCompactions {
		return Report{}, errors.New("DisableAutomaticCompactions is set, so no table would be rewritten")
	}
	survey := newSurvey(dir, opts, plan)
	if err := survey.check(); err != nil {
		return Report{}, err
	}
	pending, err := survey.pending(context.Background())
	if err != nil {
		return Report{}, err
	}
	pebbleext.Apply(opts, pebbleext.Options{Plan: plan})
	if opts.FS == nil {
		opts.WithFSDefaults()
	}
	opts.FS = markingFS(opts.FS, pending, &pace{ctx: context.Background(), perSecond: bytesPerSecond})
	return survey.begun(pending), nil
}

// run is a call of Run.
type run struct {
	*survey
	settings Settings
	begin    time.Time
	minStep  int64
	pace     *pace
	watch    *rewriteWatch
	report   Report // without what has been done
	told     int    // tables of the last call of Progress
}

// minStep is the least size of a step in bytes. A step opens and closes the
// store once, 10 to 20 ms for one of 2 GB, and rewrites 64 MiB in half a second
// or more.
const minStep = 64 << 20

func newRun(ctx context.Context, dir string, opts *pebble.Options, plan pebbleext.Plan, settings Settings) *run {
	survey := newSurvey(dir, opts, plan)
	return &run{
		survey:   survey,
		settings: settings,
		begin:    time.Now(),
		minStep:  minStep,
		pace:     &pace{ctx: ctx, perSecond: settings.BytesPerSecond},
		watch:    newRewriteWatch(),
		told:     -1,
	}
}

func (r *run) now() Report {
	report := r.report
	report.Done, report.DoneBytes = r.watch.rewritten()
	report.Written = r.pace.written.Load()
	report.Elapsed = time.Since(r.begin)
	return report
}

func (r *run) do(ctx context.Context) (err error) {
	if err := checkRate(r.settings.BytesPerSecond); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	if !r.settings.DryRun {
		unlock, err := r.lock()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	pending, err := r.pending(ctx)
	if err != nil {
		return err
	}
	r.report = r.begun(pending)
	r.tell()
	if r.settings.DryRun {
		return nil
	}
	for len(pending) > 0 {
		if err := r.steps(ctx, pending); err != nil {
			return ondisk.Named(r.dir, fmt.Errorf("%w; %d of %d tables are rewritten, the others are as they were",
				err, r.now().Done, r.report.Pending))
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
		r.report.Pending += len(again)
		r.report.PendingBytes += bytesOf(again)
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

// tell calls Progress, unless nothing was rewritten since it was called last.
func (r *run) tell() {
	report := r.now()
	if r.settings.Progress != nil && report.Done != r.told {
		r.settings.Progress(report)
	}
	r.told = report.Done
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

// checkSpace fails if the disk has no room for the new tables of a step beside
// the old ones, and for all filters: a sixteenth is 13 bits for each record of
// 26 bytes.
func (r *run) checkSpace(step, pending int64) error {
	usage, err := r.opts.FS.GetDiskUsage(r.dir)
	if errors.Is(err, vfs.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	if need := uint64(min(step, pending) + pending/16); usage.AvailBytes < need {
		return fmt.Errorf("the disk has %d bytes free; rewriting its tables needs %d", usage.AvailBytes, need)
	}
	return nil
}

// step rewrites tables.
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
	err = errors.Join(r.watch.wait(ctx, db, compactions, r.tell), db.Close())
	r.tell() // Close lets compactions end
	return errors.Join(err, r.watch.failure())
}

func bytesOf(tables []table) (sum int64) {
	for _, t := range tables {
		sum += t.size
	}
	return sum
}
