package policy

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Filter is one policy for all levels and its text.
type Filter struct {
	Text string
	pebble.FilterPolicy
}

// fuses are peers that no store uses.
var fuses = map[string]pebble.FilterPolicy{
	"binaryfuse:8":  fuse[uint8]{},
	"binaryfuse:16": fuse[uint16]{},
}

// ParseFilter reads one policy: those that Parse reads, and binaryfuse with
// fingerprints of 8 or 16 bits.
func ParseFilter(text string) (Filter, error) {
	if f, ok := fuses[text]; ok {
		return Filter{text, f}, nil
	}
	p, err := Parse(text)
	if err != nil {
		return Filter{}, fmt.Errorf("%w, or binaryfuse:8 or binaryfuse:16", err)
	}
	for _, level := range p.Plan.Levels[1:] {
		if fmt.Sprint(level) != fmt.Sprint(p.Plan.Levels[0]) {
			return Filter{}, fmt.Errorf("%q is a level plan; name one policy, such as bloom:10", text)
		}
	}
	return Filter{p.Text, p.Plan.Levels[0]}, nil
}
