package tuner

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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
	a, fromKnown := amountOf(from)
	b, toKnown := amountOf(to)
	if !fromKnown || !toKnown || math.Abs(b.bits-a.bits) <= most {
		return to
	}
	step := b
	if b.family == "" { // none: fewer bits of the same
		step = a
	}
	step.bits = a.bits + math.Copysign(most, b.bits-a.bits)
	policy, err := filterpolicy.Parse(step.String())
	if err != nil { // fewer bits than the family can have
		return to
	}
	return policy
}

// amount is a policy's text in parts.
type amount struct {
	family  string // empty for none
	bits    float64
	options string // with a comma before
}

// amountOf reports false for a policy given by rate.
func amountOf(policy pebble.FilterPolicy) (a amount, known bool) {
	own, ok := policy.(*filterpolicy.Policy)
	if !ok {
		return amount{}, true
	}
	var rest string
	a.family, rest, _ = strings.Cut(own.String(), ":")
	number, options, hasOptions := strings.Cut(rest, ",")
	if hasOptions {
		a.options = "," + options
	}
	var err error
	a.bits, err = strconv.ParseFloat(number, 64)
	return a, err == nil
}

func (a amount) String() string {
	rounded := math.Round(a.bits/levelplan.AmountStep) * levelplan.AmountStep
	return fmt.Sprintf("%s:%.4g%s", a.family, rounded, a.options)
}
