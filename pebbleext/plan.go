package pebbleext

import (
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/filterpolicy"
)

// NumLevels is the number of levels of a Pebble store, L0 to L6.
const NumLevels = len(pebble.Options{}.Levels)

// Plan is a level plan: the policy that writes the filters of each level. A
// nil policy writes none, as pebble.NoFilterPolicy does; no level inherits
// from the one above. Policies of other packages are welcome.
type Plan [NumLevels]pebble.FilterPolicy

// Uniform returns the plan with one policy for all levels.
func Uniform(policy pebble.FilterPolicy) Plan {
	var p Plan
	for level := range p {
		p[level] = policy
	}
	return p
}

// ParsePlan reads the text form of a plan,
//
//	plan   = policy | levels "=" policy {";" levels "=" policy}
//	levels = "L0" … "L6" | "L0-L5"
//
// such as bloom:10, which is for all levels, or L0-L5=bloom:14;L6=bloom:10.
// Policies are those of [filterpolicy.Parse]. Every level must be named once:
// write none where there shall be no filters.
//
// An error names the word that is wrong and what would be right.
func ParsePlan(text string) (Plan, error) {
	if level, ok := afterComma(text); ok {
		return Plan{}, fmt.Errorf("%s comes after a comma; levels are separated by semicolons: ;%s=…", level, level)
	}
	if !namesLevels(text) {
		policy, err := filterpolicy.Parse(text)
		return Uniform(policy), err
	}
	var p Plan
	for part := range strings.SplitSeq(text, ";") {
		if err := p.parsePart(part); err != nil {
			return Plan{}, err
		}
	}
	for level, policy := range p {
		if policy == nil {
			return Plan{}, fmt.Errorf("L%d has no policy; add L%d=none for no filters", level, level)
		}
	}
	return p, nil
}

// namesLevels tells levels=policy from a policy, which has equals signs too
// but only in options, after the colon of its amount and a comma.
func namesLevels(text string) bool {
	word, _, equals := strings.Cut(text, "=")
	return strings.Contains(text, ";") || strings.HasPrefix(text, "L") ||
		equals && !strings.ContainsAny(word, ":,")
}

// afterComma returns levels that follow a policy and a comma. No option of a
// policy begins with a capital.
func afterComma(text string) (levels string, ok bool) {
	before, after, _ := strings.Cut(text, ",L")
	levels, _, _ = strings.Cut("L"+after, "=")
	_, _, ok = parseLevels(levels)
	_, _, isList := parseLevels(before)
	return levels, ok && !isList
}

func (p *Plan) parsePart(part string) error {
	levels, text, ok := strings.Cut(part, "=")
	if !ok || strings.Contains(levels, ":") {
		return fmt.Errorf("%.40q names no levels; write them before the policy: L0-L5=bloom:10", part)
	}
	first, last, ok := parseLevels(levels)
	if !ok {
		return fmt.Errorf("%.40q are no levels; write one, L0 to L6, or a range such as L0-L5", levels)
	}
	policy, err := filterpolicy.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", levels, err)
	}
	for level := first; level <= last; level++ {
		if p[level] != nil {
			return fmt.Errorf("L%d has two policies; give it one", level)
		}
		p[level] = policy
	}
	return nil
}

func parseLevels(word string) (first, last int, ok bool) {
	from, to, isRange := strings.Cut(word, "-")
	if !isRange {
		to = from
	}
	first, last = parseLevel(from), parseLevel(to)
	return first, last, first >= 0 && first <= last
}

// parseLevel returns -1 if word is no level.
func parseLevel(word string) int {
	if len(word) != 2 || word[0] != 'L' || word[1] < '0' || int(word[1]-'0') >= NumLevels {
		return -1
	}
	return int(word[1] - '0')
}

// String returns the plan's text in its shortest form. ParsePlan is its
// inverse for policies of this module.
func (p Plan) String() string {
	var parts []string
	for first := 0; first < NumLevels; {
		text, last := policyText(p[first]), first
		for last+1 < NumLevels && policyText(p[last+1]) == text {
			last++
		}
		if first == 0 && last == NumLevels-1 {
			return text
		}
		levels := fmt.Sprintf("L%d", first)
		if last > first {
			levels += fmt.Sprintf("-L%d", last)
		}
		parts = append(parts, levels+"="+text)
		first = last + 1
	}
	return strings.Join(parts, ";")
}

func policyText(policy pebble.FilterPolicy) string {
	switch policy := policy.(type) {
	case nil:
		return pebble.NoFilterPolicy.Name()
	case fmt.Stringer:
		return policy.String()
	default:
		return policy.Name()
	}
}
