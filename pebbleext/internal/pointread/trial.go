package pointread

// trial is a row of lookups that go one way, in rounds, each as long as all
// before. A way that needs to fill the cache becomes cheaper from round to round.
type trial struct {
	way            Way
	stake, limit   float64 // fewest lookups, and what they may cost on top in ns
	price          float64 // of a lookup of the best way
	lookups, spent float64 // so far, and what they cost
	slow, lost     float64 // lookups that took longer than they count for, and ns
	// round are the lookups since the last round ended, last those of that one,
	// before those of the one before it, all those of the trial.
	round, last, before, all costs
}

// noteSlow notes how many ns a lookup took longer than it counts for.
func (t *trial) noteSlow(longer float64) {
	if longer > 0 {
		t.slow++
		t.lost += longer
	}
}

// add records a lookup. It reports whether a round ended with it.
func (t *trial) add(miss bool, x cost) (roundEnded bool) {
	t.lookups++
	t.round.of(miss).add(x)
	t.all.of(miss).add(x)
	t.spent += x.price()
	if n := uint64(t.lookups); n&(n-1) != 0 {
		return false
	}
	t.round, t.last, t.before = costs{}, t.round, t.last
	return true
}

// onTop is what the lookups cost more than those of the best way. If most took
// longer than they count for then they did not wait for a processor: the way is
// slow, as requests to object storage are.
func (t *trial) onTop() float64 {
	onTop := t.spent - t.lookups*t.price
	if t.slow > 1 && t.slow > t.lookups/2 {
		onTop += t.lost
	}
	return onTop
}

// isOver reports whether a trial has lasted or cost as much as it may.
func (t *trial) isOver() bool {
	return t.lookups >= longestTrial*t.stake || t.onTop() >= t.limit
}

// isSteady reports whether a trial has shown what its way costs: it has lasted as
// long as its stake, and lookups no longer become cheaper.
func (t *trial) isSteady(missRate float64) bool {
	last := t.last.estimate(missRate)
	return t.lookups >= t.stake && last.known && last.price > steady*t.before.estimate(missRate).price
}
