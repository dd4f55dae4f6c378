package pebblev1

import (
	"sync/atomic"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"

	filters "github.com/gravelkv/gravel/filterpolicy/pebblev1"
)

// numLevels is the number of levels of a store, L0 to L6.
const numLevels = 7

// Uniform returns the same policy for all levels.
func Uniform(policy pebble.FilterPolicy) (levels [numLevels]pebble.FilterPolicy) {
	for level := range levels {
		levels[level] = policy
	}
	return levels
}

// Setup is what [Apply] made of the options of one store.
type Setup struct {
	opts   *pebble.Options
	tables atomic.Pointer[tables]
}

// Apply sets the filters of opts: the policy that each level, L0 to L6, writes
// with from now on, nil for none; that tables written by Gravel or by Pebble's
// own Bloom policy stay readable; and, if opts.Comparer has no Split, a copy of
// it that has one. Compactions bring the new policies to existing tables.
//
// Entries of opts.Filters are kept. Without one for the policy of a table
// Pebble ignores its filter and says nothing, so list policies that neither
// the levels nor this function knows.
//
// A store that is opened with opts next is read by [Setup.NewReader].
func Apply(opts *pebble.Options, levels [numLevels]pebble.FilterPolicy) *Setup {
	opts.Levels = allLevels(opts)
	for level, policy := range levels {
		if gravel, ok := policy.(*filters.Policy); ok {
			policy = gravel.ForLevel(level)
		}
		opts.Levels[level].FilterPolicy = policy
	}
	if opts.Filters == nil {
		opts.Filters = make(map[string]pebble.FilterPolicy)
	}
	for _, policy := range []pebble.FilterPolicy{filters.Bloom(10), bloom.FilterPolicy(10)} { // sizes do not matter for reading
		if _, ok := opts.Filters[policy.Name()]; !ok {
			opts.Filters[policy.Name()] = policy
		}
	}
	opts.Comparer = withSplit(opts.Comparer)
	s := &Setup{opts: opts}
	s.listen()
	return s
}

// listen makes a store that is opened with the options tell of tables that come
// and go.
func (s *Setup) listen() {
	changed := func() {
		if t := s.tables.Load(); t != nil {
			t.background.Ask()
		}
	}
	var l pebble.EventListener
	if s.opts.EventListener != nil {
		l = *s.opts.EventListener
	}
	l.FlushEnd = after(l.FlushEnd, changed)
	l.CompactionEnd = after(l.CompactionEnd, changed)
	l.TableIngested = after(l.TableIngested, changed)
	s.opts.EventListener = &l
}

// after leaves out what the program did not set, for which Pebble has defaults.
func after[I any](own func(I), then func()) func(I) {
	return func(info I) {
		if own != nil {
			own(info)
		}
		then()
	}
}

// allLevels returns the options of all levels as Pebble would fill in those
// that are missing: like the last one that is there, with the target size
// doubled from level to level.
func allLevels(opts *pebble.Options) []pebble.LevelOptions {
	given := pebble.Options{Levels: append([]pebble.LevelOptions(nil), opts.Levels...)}
	if len(given.Levels) == 0 {
		given.Levels = make([]pebble.LevelOptions, 1)
	}
	for level := range given.Levels {
		given.Levels[level].EnsureDefaults()
	}
	all := make([]pebble.LevelOptions, numLevels)
	for level := range all {
		all[level] = given.Level(level)
	}
	return all
}

// withSplit returns the comparer with a Split: its own, or one that takes the
// whole key for the prefix, which is what filters hold if there is none.
func withSplit(c *pebble.Comparer) *pebble.Comparer {
	if c == nil {
		c = pebble.DefaultComparer
	}
	if c.Split != nil {
		return c
	}
	split := *c
	split.Split = func(key []byte) int { return len(key) }
	return &split
}
