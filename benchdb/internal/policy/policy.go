// Package policy reads the policies that benchdb compares: those of Gravel and
// Pebble's own.
package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
)

// PebbleBloom is the family of Pebble's own Bloom policy.
const PebbleBloom = "pebble-bloom"

// PebbleShade is the shade of Pebble's own filter in all charts.
const PebbleShade chart.Shade = 2

// Policy is a level plan and its text.
type Policy struct {
	Text string
	Plan pebbleext.Plan
}

// Parse reads a level plan, as pebbleext.ParsePlan does.
func Parse(text string) (Policy, error) {
	plan, err := pebbleext.ParsePlan(text)
	if err != nil {
		return Policy{}, err
	}
	text = plan.String()
	if more, ok := strings.CutPrefix(text, pebbleext.DefaultPlan().String()); ok {
		text = Default + more
	}
	return Policy{text, plan}, nil
}

// Text is that of one level's policy.
func Text(p pebble.FilterPolicy) string { return pebbleext.Uniform(p).String() }

// Default is the text of pebbleext.DefaultPlan.
const Default = "default"

// Name is that of a policy in a sentence.
func Name(text string) string {
	if text == Default {
		return "Gravel's default"
	}
	return text
}

// AsItIs is the text of the filters that a store has, whatever they are.
const AsItIs = "as it is"

// Filters reports whether any level has a filter.
func (p Policy) Filters() bool {
	return slices.ContainsFunc(p.Plan.Levels[:], func(level pebble.FilterPolicy) bool { return level != pebble.NoFilterPolicy })
}

// HasTableFilters reports whether any level has table filters of Gravel's.
func (p Policy) HasTableFilters() bool {
	return slices.ContainsFunc(p.Plan.Levels[:], func(level pebble.FilterPolicy) bool {
		return level != nil && level.Name() == filterpolicy.Name
	})
}

// IsGravel reports whether a store has filters of Gravel's, of any kind.
func (p Policy) IsGravel() bool {
	return p.HasTableFilters() || p.Plan.Index != 0 || p.Plan.Prefix != nil || p.Plan.Range != 0
}

// Family is the first word of a policy's text, empty for a level plan.
func Family(text string) string {
	name, _, _ := strings.Cut(text, ":")
	if strings.Contains(name, "=") {
		return ""
	}
	return name
}

// Examples are a policy of each family, for completion.
func Examples() []string {
	return []string{"none", PebbleBloom + ":10", "bloom:10", "twochoice:10", "dense:10", "ribbon:10", "compressed:10", "dense:10;index=8", "none;index=8"}
}

// List is policies to compare. It implements pflag.Value for texts separated by
// spaces; policies themselves may hold commas and semicolons.
type List struct {
	Policies []Policy
	given    bool
}

// NewList returns a default, of texts that must be right.
func NewList(texts ...string) (l List) {
	for _, text := range texts {
		p, err := Parse(text)
		if err != nil {
			panic(err)
		}
		l.Policies = append(l.Policies, p)
	}
	return l
}

// Set replaces the default, and adds to what Set read before.
func (l *List) Set(text string) error {
	words := strings.Fields(text)
	if len(words) == 0 {
		return errors.New(`name at least one policy, such as "none bloom:10"`)
	}
	var policies []Policy
	if l.given {
		policies = l.Policies
	}
	for _, word := range words {
		p, err := Parse(word)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(policies, func(other Policy) bool { return other.Text == p.Text }) {
			return fmt.Errorf("there are two %s; name each once", p.Text)
		}
		policies = append(policies, p)
	}
	l.Policies, l.given = policies, true
	return nil
}

// String returns the texts, separated by spaces.
func (l *List) String() string { return strings.Join(l.Texts(), " ") }

// Texts returns the text of each policy.
func (l *List) Texts() []string {
	texts := make([]string, len(l.Policies))
	for i, p := range l.Policies {
		texts[i] = p.Text
	}
	return texts
}

// Type implements pflag.Value.
func (l *List) Type() string { return "policies" }
