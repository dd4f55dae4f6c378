package tuner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// Settings say what a Tuner aims at and how fast it may go there.
type Settings struct {
	// Budget is the memory for table filters and how to spend it.
	Budget levelplan.Budget
	// Resident, if any, are the store's filters in memory. Options.Cache is
	// then the memory for filters and blocks together, and of this store alone.
	// The Tuner divides it as [levelplan.Shape.Divide] says: the cache gives up
	// what the filters may take.
	Resident *resident.Filters
	// Counter, if any, is that of the store: see [pebbleext.CountQueries].
	// Levels are then weighted by how often their filters were asked in vain,
	// rather than by their shape alone.
	Counter *filterpolicy.Counter
	// Interval is the time between two plans, 0 for 5 minutes.
	Interval time.Duration
	// MinGain is the least share of wasted reads that a plan must save to
	// replace the current one, 0 for 5 %. A current plan that exceeds the
	// budget by more than that share is replaced in any case.
	MinGain float64
	// MaxStep is the most that a level's amount changes at a time, in bits per
	// key, 0 for 2.
	MaxStep float64
	// DryRun says to plan and to report, but to change nothing.
	DryRun bool
	// Event, if any, is called after each plan, by the goroutine that planned.
	Event func(Event)
}

// Event is what a Tuner found and did.
type Event struct {
	// Shape is that of the store, as observed.
	Shape levelplan.Shape
	// Current is the plan so far, Target the best one, and Next the one from
	// now on, on the way to Target; in a dry run it would be.
	Current, Target, Next pebbleext.Plan
	// Before and After are what to expect of Current and of Target.
	Before, After levelplan.Forecast
	// Resident is the bytes that Settings.Resident get from now on.
	Resident int64
	// Changed tells whether Next differs from Current, or Resident from before.
	Changed bool
	// Err is why there is no plan; the current one stays.
	Err error
}

// Tuner keeps a store's level plan near the best for what the store holds and
// is asked for: every few minutes it plans anew, and tables written from then
// on, by flushes and compactions, have the filters of the new plan. It is safe
// for concurrent use.
//
// A level that is to have no filters gets empty filter blocks, which answer
// "may contain" and take 5 bytes a table: Pebble asks for a level's policy
// once, when it opens the store.
type Tuner struct {
	settings Settings
	comparer *pebble.Comparer
	levels   [pebbleext.NumLevels]*levelPolicy
	first    pebbleext.Plan // whose filters in the index stay: Pebble asks for them once

	mu       sync.Mutex // of planning
	observer observer
	division *division // nil without resident filters
}

// New sets opts to the plan, as Apply does, so that the Tuner can change
// it while the store is open. Policies of the plan must be of this module, or
// none. Apply resident filters after it.
func New(opts *pebble.Options, plan pebbleext.Plan, settings Settings) (*Tuner, error) {
	if settings.Interval == 0 {
		settings.Interval = 5 * time.Minute
	}
	if settings.MinGain == 0 {
		settings.MinGain = 0.05
	}
	if settings.MaxStep == 0 {
		settings.MaxStep = 2
	}
	if opts == nil {
		return nil, errors.New("a tuner needs the options that the store is opened with, not nil")
	}
	if err := settings.validate(); err != nil {
		return nil, err
	}
	t := &Tuner{settings: settings, comparer: opts.Comparer.EnsureDefaults(), first: plan}
	for level := range t.levels {
		t.levels[level] = &levelPolicy{FilterPolicy: filterpolicy.Bloom(10), level: level}
	}
	var err error
	if t.division, err = newDivision(settings, opts.Cache); err != nil {
		return nil, err
	}
	if err := t.install(plan); err != nil {
		return nil, err
	}
	pebbleext.Apply(opts, plan)
	for level := range t.levels {
		opts.Levels[level].FilterPolicy = t.levels[level]
	}
	return t, nil
}

func (s Settings) validate() error {
	switch {
	case s.Budget.Bytes <= 0:
		return fmt.Errorf("a tuner's budget is more than 0 bytes, not %d", s.Budget.Bytes)
	case s.Interval < 0:
		return fmt.Errorf("a tuner's interval is more than 0, not %v", s.Interval)
	case !(s.MinGain > 0 && s.MinGain < 1):
		return fmt.Errorf("a tuner's least gain is above 0 and below 1, not %v", s.MinGain)
	case !(s.MaxStep > 0):
		return fmt.Errorf("a tuner's largest step is above 0 bits per key, not %v", s.MaxStep)
	}
	return nil
}

// Plan returns the current plan.
func (t *Tuner) Plan() pebbleext.Plan {
	p := t.first
	for level := range p.Levels {
		p.Levels[level] = t.levels[level].policy()
	}
	return p
}

// Run tunes a store, opened with the options of New, until the context is
// done. It must have returned before the store is closed:
//
//	ctx, stop := context.WithCancel(ctx)
//	var running sync.WaitGroup
//	running.Go(func() { tuner.Run(ctx, db) })
//	…
//	stop()
//	running.Wait()
//	err := db.Close()
func (t *Tuner) Run(ctx context.Context, db *pebble.DB) {
	ticker := time.NewTicker(t.settings.Interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			t.Tune(db)
		}
	}
}

// Tune plans once, for those who have a schedule of their own. It costs what
// [levelplan.ReadShape], [levelplan.Shape.Plan] and
// [levelplan.Shape.Forecast] do.
func (t *Tuner) Tune(db *pebble.DB) Event {
	e := t.tune(db)
	if t.settings.Event != nil {
		t.settings.Event(e)
	}
	return e
}

func (t *Tuner) tune(db *pebble.DB) Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := Event{Current: t.Plan()}
	e.Target, e.Next = e.Current, e.Current
	if e.Err = t.look(db, &e); e.Err != nil || len(e.Shape.Levels) == 0 {
		return e
	}
	if e.Err = t.choose(db, &e); e.Err != nil || !e.Changed || t.settings.DryRun {
		return e
	}
	if e.Err = t.install(e.Next); e.Err == nil && t.division != nil {
		e.Err = t.division.set(e.Resident)
	}
	return e
}

// look finds out the store's shape.
func (t *Tuner) look(db *pebble.DB, e *Event) (err error) {
	e.Shape, err = levelplan.ReadShape(db, t.comparer)
	if err != nil || t.settings.Counter == nil {
		return err
	}
	filtered, err := filteredShares(db)
	if err != nil {
		return err
	}
	if len(e.Shape.Levels) == 0 {
		return nil
	}
	e.Shape, err = t.observer.weigh(e.Shape, t.settings.Budget.Reads, t.settings.Counter.Stats(), filtered)
	return err
}

// choose decides on the next plan, and on the memory of resident filters.
func (t *Tuner) choose(db *pebble.DB, e *Event) error {
	if t.division != nil {
		return t.divide(db, e)
	}
	best, err := e.Shape.Plan(t.settings.Budget)
	if err != nil {
		return err
	}
	if err := t.aim(e, best); err != nil {
		return err
	}
	t.step(e, e.Before.Mean, e.After.Mean)
	return nil
}

// divide is choose where there are resident filters: by what lookups read from
// disk.
func (t *Tuner) divide(db *pebble.DB, e *Event) error {
	budget, memory := t.settings.Budget, t.division.memory(db)
	now, err := e.Shape.Option(e.Current, memory, budget.Reads)
	if err != nil {
		return err
	}
	blocks := memory
	blocks.Cache = max(blocks.Cache-budget.Bytes, 0)
	best, err := e.Shape.Divide(budget, blocks, t.first.Index)
	if err != nil {
		return err
	}
	if err := t.aim(e, best.Plan); err != nil {
		return err
	}
	if t.step(e, now.Price(budget.Reads), best.Price(budget.Reads)) {
		memory.Resident = best.Memory.Resident
	}
	next, err := e.Shape.Option(e.Next, memory, budget.Reads)
	e.Resident = bytesOf(next)
	e.Changed = e.Changed || t.division.differs(e.Resident)
	return err
}

// aim makes the best table filters the target.
func (t *Tuner) aim(e *Event, best pebbleext.Plan) (err error) {
	e.Target.Levels = best.Levels
	if e.Before, err = e.Shape.Forecast(e.Current, t.settings.Budget.Reads); err != nil {
		return err
	}
	e.After, err = e.Shape.Forecast(e.Target, t.settings.Budget.Reads)
	return err
}

// step takes a step to the target, if what lookups waste or read before and
// after, or the memory that the filters take, makes it worth one.
func (t *Tuner) step(e *Event, before, after float64) (taken bool) {
	saves := after <= before*(1-t.settings.MinGain)
	exceeds := float64(e.Before.Bytes) > float64(t.settings.Budget.Bytes)*(1+t.settings.MinGain)
	if !saves && !exceeds {
		return false
	}
	for level := range e.Next.Levels {
		e.Next.Levels[level] = towards(e.Current.Levels[level], e.Target.Levels[level], t.settings.MaxStep)
	}
	e.Changed = e.Next.String() != e.Current.String()
	return true
}

// install makes a plan the one for tables to come.
func (t *Tuner) install(plan pebbleext.Plan) error {
	for level, policy := range plan.Levels {
		if err := canTune(policy); err != nil {
			return fmt.Errorf("L%d: %w", level, err)
		}
	}
	for level, policy := range plan.Levels {
		t.levels[level].set(policy)
	}
	return nil
}
