package tuner

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Settings say what a Tuner aims at and how fast it may go there.
type Settings struct {
	// Budget is the memory for filters and how to spend it.
	Budget levelplan.Budget
	// Counter, if any, is that of the store: see [pebbleext.CountQueries]. Levels are then
	// weighted by how often their filters were asked in vain, rather than by
	// their shape alone.
	Counter *filterpolicy.Counter
	// Interval is the time between two plans, 0 for 5 minutes.
	Interval time.Duration
	// MinGain is the least share of wasted reads that a plan must save to
	// replace the current one, 0 for 5 %. A current plan that exceeds the budget
	// by more than that share is replaced in any case.
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
	// Current is the plan so far, Target the best one, and Next the one from now
	// on, on the way to Target; in a dry run it would be.
	Current, Target, Next pebbleext.Plan
	// Before and After are what to expect of Current and of Target.
	Before, After levelplan.Forecast
	// Changed tells whether Next differs from Current.
	Changed bool
	// Err is why there is no plan; the current one stays.
	Err error
}

// Tuner keeps a store's level plan near the best for what the store holds and
// is asked for: every few minutes it plans anew, and tables written from then
// on, by flushes and compactions, have the filters of the new plan. It is safe
// for concurrent use.
//
// A level that is to have no filters gets empty filter blocks, which answer "may
// contain" and take 5 bytes a table: Pebble asks for a level's policy once, when
// it opens the store.
type Tuner struct {
	settings Settings
	comparer *pebble.Comparer
	levels   [pebbleext.NumLevels]*levelPolicy
	index    int // bits of index filters, which a store that is open cannot change

	mu       sync.Mutex // of planning
	observer observer
}

// New sets opts to the plan, as Apply does, so that the Tuner can change
// it while the store is open. Policies of the plan must be of this module, or
// none.
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
	if err := settings.validate(); err != nil {
		return nil, err
	}
	t := &Tuner{settings: settings, comparer: opts.Comparer.EnsureDefaults(), index: plan.Index}
	for level := range t.levels {
		t.levels[level] = &levelPolicy{FilterPolicy: filterpolicy.Bloom(10), level: level}
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

// pebbleext.Plan returns the current plan.
func (t *Tuner) Plan() pebbleext.Plan {
	p := pebbleext.Plan{Index: t.index}
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
	if e.Err = t.choose(&e); e.Err == nil && e.Changed && !t.settings.DryRun {
		e.Err = t.install(e.Next)
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

// choose decides on the next plan.
func (t *Tuner) choose(e *Event) (err error) {
	budget := t.settings.Budget
	if e.Target, err = e.Shape.Plan(budget); err != nil {
		return err
	}
	e.Target.Index, e.Next.Index = t.index, t.index
	if e.Before, err = e.Shape.Forecast(e.Current, budget.Reads); err != nil {
		return err
	}
	if e.After, err = e.Shape.Forecast(e.Target, budget.Reads); err != nil {
		return err
	}
	saves := e.After.Mean <= e.Before.Mean*(1-t.settings.MinGain)
	exceeds := float64(e.Before.Bytes) > float64(budget.Bytes)*(1+t.settings.MinGain)
	if !saves && !exceeds {
		return nil
	}
	for level := range e.Next.Levels {
		e.Next.Levels[level] = towards(e.Current.Levels[level], e.Target.Levels[level], t.settings.MaxStep)
	}
	e.Changed = e.Next.String() != e.Current.String()
	return nil
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
