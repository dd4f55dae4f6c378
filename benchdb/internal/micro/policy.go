package micro

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
)

// BaselineText is the policy that ratios are to.
const BaselineText = "pebble-bloom:10"

// Policy is a filter policy and its text.
type Policy struct {
	Text   string
	Filter pebble.FilterPolicy
}

// writes reports whether the policy writes filters at all.
func (p Policy) writes() bool { return p.Filter != pebble.NoFilterPolicy }

// fuses are the peers that only this benchmark knows.
var fuses = map[string]pebble.FilterPolicy{
	"binaryfuse:8":  fuse[uint8]{},
	"binaryfuse:16": fuse[uint16]{},
}

// Parse reads one policy: those of benchdb run, and binaryfuse with
// fingerprints of 8 or 16 bits.
func Parse(text string) (Policy, error) {
	if f, ok := fuses[text]; ok {
		return Policy{text, f}, nil
	}
	p, err := policy.Parse(text)
	if err != nil {
		return Policy{}, fmt.Errorf("%w, or binaryfuse:8 or binaryfuse:16", err)
	}
	for _, level := range p.Plan[1:] {
		if fmt.Sprint(level) != fmt.Sprint(p.Plan[0]) {
			return Policy{}, fmt.Errorf("%q is a level plan; name one policy, such as bloom:10", text)
		}
	}
	return Policy{p.Text, p.Plan[0]}, nil
}

// ParseList reads policies separated by spaces, and puts the baseline first if
// it is not among them. It returns the baseline's index.
func ParseList(text string) (policies []Policy, baseline int, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, 0, fmt.Errorf("name at least one policy, such as %q", "bloom:10 binaryfuse:8")
	}
	if !slices.Contains(words, BaselineText) {
		words = append([]string{BaselineText}, words...)
	}
	for _, word := range words {
		p, err := Parse(word)
		if err != nil {
			return nil, 0, err
		}
		policies = append(policies, p)
	}
	return policies, slices.Index(words, BaselineText), nil
}
