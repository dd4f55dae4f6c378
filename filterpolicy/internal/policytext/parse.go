package policytext

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gravelkv/gravel/blockfilter"
)

// None is the text of the policy that writes no filters. Parse does not take
// it: each version of Pebble has its own way to write none.
const None = "none"

// Parse reads the text form of a policy, which the package comment of
// filterpolicy specifies. An error names the word that is wrong and what would
// be right.
func Parse(text string) (Policy, error) {
	p, err := parse(text)
	if err != nil {
		return Policy{}, fmt.Errorf("policy %q: %w", text, err)
	}
	return p, nil
}

func parse(text string) (Policy, error) {
	name, rest, hasAmount := strings.Cut(text, ":")
	newFamily, ok := families[name]
	if !ok {
		known := append(slices.Sorted(maps.Keys(families)), None)
		return Policy{}, fmt.Errorf("unknown family %q; there are %s", name, strings.Join(known, ", "))
	}
	if !hasAmount {
		return Policy{}, fmt.Errorf("%q has no amount; write bits per key (%s:10) or a rate (%s:1%%)", name, name, name)
	}
	words := strings.Split(rest, ",")
	a, err := parseAmount(words[0])
	if err != nil {
		return Policy{}, err
	}
	o, err := parseOptions(name, words[1:])
	if err != nil {
		return Policy{}, err
	}
	f, err := newFamily(a, o)
	verify := o.oneOf("verify", "false", "true") == 1
	if err := o.unknown(); err != nil {
		return Policy{}, err
	}
	if err != nil {
		return Policy{}, err
	}
	if err := f.Validate(); err != nil {
		return Policy{}, err
	}
	if verify {
		f = blockfilter.Verified{Family: f}
	}
	canonical := strings.Join(append([]string{name + ":" + a.String()}, o.canonical...), ",")
	return Policy{family: f, text: canonical, level: blockfilter.LevelUnknown}, nil
}

// amount is how much a filter may cost or let through.
type amount struct {
	value   float64
	percent bool // value is a rate in percent rather than bits per key
}

func parseAmount(word string) (amount, error) {
	number, percent := strings.CutSuffix(word, "%")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return amount{}, fmt.Errorf("%q is no amount; write bits per key (10) or a rate (1%%)", word)
	}
	if percent && !(v > 0 && v < 100) {
		return amount{}, fmt.Errorf("a rate must be above 0%% and below 100%%, not %s", word)
	}
	return amount{v, percent}, nil
}

// bits returns the amount in bits per key; a rate becomes the family's bits for
// it.
func (a amount) bits(forRate func(rate float64) (float64, error)) (float64, error) {
	if !a.percent {
		return a.value, nil
	}
	return forRate(a.value / 100)
}

func (a amount) String() string {
	if a.percent {
		return formatNumber(a.value) + "%"
	}
	return formatNumber(a.value)
}
