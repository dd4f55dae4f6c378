package pebbleext

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"github.com/gravelkv/gravel/filterpolicy"
)

// readable are the policies whose tables stay readable whatever a plan writes.
// Their sizes do not matter for reading.
var readable = []pebble.FilterPolicy{filterpolicy.Bloom(10), bloom.FilterPolicy(10)}

// Apply sets the filters of opts to the plan: what each level writes from now
// on, and that tables written by Gravel or by Pebble's own Bloom policy stay
// readable, so that a store can switch between them at any time. Compactions
// bring the new policies to existing tables.
//
// What the option verify=true finds wrong is told to the BackgroundError of
// opts.EventListener, or else to opts.Logger.
//
// Entries of opts.Filters are kept. Without one for the policy of a table
// Pebble ignores its filter and says nothing, so list policies that neither
// the plan nor this function knows.
func Apply(opts *pebble.Options, plan Plan) {
	if opts.Filters == nil {
		opts.Filters = make(map[string]pebble.FilterPolicy)
	}
	for level, policy := range plan {
		opts.Levels[level].FilterPolicy = forLevel(policy, level, opts)
	}
	for _, policy := range readable {
		if _, ok := opts.Filters[policy.Name()]; !ok {
			opts.Filters[policy.Name()] = policy
		}
	}
}

func forLevel(policy pebble.FilterPolicy, level int, opts *pebble.Options) pebble.FilterPolicy {
	switch policy := policy.(type) {
	case nil:
		return pebble.NoFilterPolicy // nil would inherit from the level above
	case *filterpolicy.Policy:
		return policy.ForLevel(level).OnFailure(func(err error) { reportBackground(opts, err) })
	default:
		return policy
	}
}

// reportBackground reports an error as Pebble does those of compactions.
func reportBackground(opts *pebble.Options, err error) {
	switch {
	case opts.EventListener != nil && opts.EventListener.BackgroundError != nil:
		opts.EventListener.BackgroundError(err)
	case opts.Logger != nil:
		opts.Logger.Errorf("filter: %v", err)
	}
}

// PolicyNamed is the hook that restores filter policies when an OPTIONS file
// is read:
//
//	opts.Parse(text, &pebble.ParseHooks{NewFilterPolicy: pebbleext.PolicyNamed})
//
// The file has the names of policies only, so what it returns reads all tables
// of that name, but writes 10 bits per key; follow up with Apply if the store
// is to be written.
func PolicyNamed(name string) (pebble.FilterPolicy, error) {
	known := append([]pebble.FilterPolicy{pebble.NoFilterPolicy}, readable...)
	for _, policy := range known {
		if policy.Name() == name {
			return policy, nil
		}
	}
	return nil, fmt.Errorf("unknown filter policy %q; there are %s, %s and %s",
		name, known[0].Name(), known[1].Name(), known[2].Name())
}
