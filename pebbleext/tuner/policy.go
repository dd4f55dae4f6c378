package tuner

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// levelPolicy is the policy of a level whose writers change while the store is
// open. Pebble asks another one to read: see Apply.
type levelPolicy struct {
	pebble.FilterPolicy // for its name and to read
	level               int
	writes              atomic.Pointer[filterpolicy.Policy] // nil for none
}

// NewWriter implements pebble.FilterPolicy.
func (p *levelPolicy) NewWriter(ftype pebble.FilterType) pebble.FilterWriter {
	policy := p.writes.Load()
	if policy == nil {
		return blankWriter{}
	}
	return policy.NewWriter(ftype)
}

func (p *levelPolicy) set(policy pebble.FilterPolicy) {
	own, _ := policy.(*filterpolicy.Policy)
	if own != nil {
		own = own.ForLevel(p.level)
	}
	p.writes.Store(own)
}

func (p *levelPolicy) policy() pebble.FilterPolicy {
	if policy := p.writes.Load(); policy != nil {
		return policy
	}
	return pebble.NoFilterPolicy
}

func canTune(policy pebble.FilterPolicy) error {
	switch policy.(type) {
	case nil, *filterpolicy.Policy:
		return nil
	}
	if policy == pebble.NoFilterPolicy {
		return nil
	}
	return fmt.Errorf("a tuner cannot change to %s and back; it takes policies of this module, or none", policy.Name())
}

// blankWriter writes blank filter blocks, of no bytes.
type blankWriter struct{}

func (blankWriter) AddKey([]byte)            {}
func (blankWriter) Finish(dst []byte) []byte { return dst }

// towards returns the policy on the way from one to another whose amount is at
// most so many bits per key from the first.
func towards(from, to pebble.FilterPolicy, most float64) pebble.FilterPolicy {
	a, fromFiltered := from.(*filterpolicy.Policy)
	b, toFiltered := to.(*filterpolicy.Policy)
	var before, after float64
	if fromFiltered {
		before = a.BitsPerKey()
	}
	if toFiltered {
		after = b.BitsPerKey()
	}
	if math.Abs(after-before) <= most {
		return to
	}
	next := b
	if !toFiltered { // fewer bits of the same
		next = a
	}
	bits := before + math.Copysign(most, after-before)
	policy, err := next.WithBitsPerKey(math.Round(bits/levelplan.AmountStep) / (1 / levelplan.AmountStep))
	if err != nil { // fewer bits than the family can have
		return to
	}
	return &filterpolicy.Policy{Policy: policy}
}
