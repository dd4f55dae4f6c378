// Package refilter gives the tables of a store that exists the filters of a
// level plan.
//
// [pebbleext.Apply] sets what Pebble writes from then on, and compactions bring
// that to the tables there are: to those of L6 perhaps never. [Run] rewrites the
// tables that lack the plan's filters while the store is closed, [InBackground]
// while it is open.
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

// Remaining estimates the time until the end from the time so far, 0 before
// there is anything to go by.
func (r Report) Remaining() time.Duration {
	if r.DoneBytes == 0 {
		return 0
	}
	left := float64(r.PendingBytes-r.DoneBytes) / float64(r.DoneBytes)
	return time.Duration(left * float64(r.Elapsed))
}

// Run gives every table of a store the filters that the plan has for its level.
// The store must not be open. Tables that have their filters are left alone. Run
// returns when all tables have them, or at the first error, which says what has
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
// Older versions of Pebble could mark a table as in need of compaction, and
// Pebble rewrites such a table within its level. Run opens the store again and
// again. Each time Pebble sees marks on some tables, of about 1 % of the bytes
// to rewrite and at least 64 MiB. Pebble makes the rewrites, and Run itself
// writes no file of the store. So they are as safe as all compactions: keys,
// values, deletions of all kinds, range keys and sequence numbers stay what they
// are, and no crash, I/O error or full disk loses any. Keys that nobody can see
// any more are dropped. While the store is open, Pebble also makes the
// compactions that are due.
//
// A done context ends Run after the tables that are being rewritten at that
// moment. After that, an error or a crash, another Run goes on with the tables
// that remain. Marks of the last step may stay in the store: its program then
// rewrites those tables, at the lowest priority, with the policies it has.
//
// # Refusals
//
// Run returns an error before it writes anything
//   - if the store is open elsewhere, or Pebble 2.1.7 cannot open it;
//   - if its comparer or merger is not that of the options;
//   - if a table has block properties of a collector that the options lack,
//     because a rewrite would lose them. The names of resident filters are lost:
//     lookups ask the rewritten tables' filters through the block cache until a
//     compaction of their program writes these tables again;
//   - if a table to rewrite is in shared or external storage;
//   - if the disk has no space for a step and for the filters.
//
// # Which tables have their filters
//
// A filter of Gravel's is the plan's if its policy writes blocks of that family,
// size and layout for as many keys. The rounds of twochoice leave no trace. Of
// other policies only the name counts. Index filters are those of the options'
// collector if their bits are the same. A table without point keys needs none.
//
// # Cost
//
// Run reads and writes each pending table once. It reads the indexes of all
// tables with filters of Gravel's twice. In BenchmarkRun, for 230 MB in L6, it
// writes 1.01 bytes for each byte of the store and takes 9.4 s per GB. A forced
// compaction writes 1.01 bytes and takes 8.7 s (medians of three rounds, on two
// cores of an Intel Xeon that were busy with other work).
func Run(ctx context.Context, dir string, opts *pebble.Options, plan pebbleext.Plan, settings Settings) (Report, error) {
	r := newRun(ctx, dir, opts, plan, settings)
	err := r.do(ctx)
	return r.now(), err
}

// InBackground prepares options so that the store, once opened with them,
// rewrites the tables that lack the plan's filters while its program uses it, at
// the lowest priority of compactions. It also applies the plan to the options.
// It works and refuses as Run does, and its report is that of a dry run. The
// store must be opened with these options next. DisableAutomaticCompactions is
// an error.
//
// Metrics().Compact.MarkedFiles is the number of tables that remain. If the
// store is closed before, the next Open goes on with them.
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
