package policy

import (
	"errors"
	"strings"
)

// List is policies to compare. It implements pflag.Value for texts separated by
// spaces; policies themselves may hold commas and semicolons.
type List struct {
	Policies []Policy
	given    bool
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
