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

// ParseList reads policies separated by spaces, and puts the baseline first if
// it is not among them. It returns the baseline's index.
func ParseList(text string) (policies []policy.Filter, baseline int, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, 0, fmt.Errorf("name at least one policy, such as %q", "bloom:10 binaryfuse:8")
	}
	if !slices.Contains(words, BaselineText) {
		words = append([]string{BaselineText}, words...)
	}
	for _, word := range words {
		p, err := policy.ParseFilter(word)
		if err != nil {
			return nil, 0, err
		}
		policies = append(policies, p)
	}
	return policies, slices.Index(words, BaselineText), nil
}

// writes reports whether the policy writes filters at all.
func writes(p policy.Filter) bool { return p.FilterPolicy != pebble.NoFilterPolicy }
