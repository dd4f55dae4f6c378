package policytext

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// options are the option=value words of a policy. A family takes those it
// knows, in the order of its canonical text; the first wrong value is kept as
// the error, so that a family reads them without a check after each.
type options struct {
	family    string
	given     map[string]string
	known     []string
	canonical []string
	wrong     error
}

func parseOptions(family string, words []string) (*options, error) {
	o := &options{family: family, given: make(map[string]string, len(words))}
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			return nil, fmt.Errorf("%q is no option; options are written name=value", w)
		}
		if _, twice := o.given[name]; twice {
			return nil, fmt.Errorf("option %q is given twice", name)
		}
		o.given[name] = value
	}
	return o, nil
}

// unknown reports an option that no call has asked for, or the first one whose
// value was wrong.
func (o *options) unknown() error {
	for name := range o.given {
		if !slices.Contains(o.known, name) {
			slices.Sort(o.known)
			return fmt.Errorf("unknown option %q; %s has %s", name, o.family, strings.Join(o.known, ", "))
		}
	}
	return o.wrong
}

// oneOf returns the index of the option's value among values, of which the
// first is the default.
func (o *options) oneOf(name string, values ...string) int {
	value, ok := o.take(name)
	if !ok {
		return 0
	}
	i := slices.Index(values, value)
	if i < 0 {
		o.fail(name, value, strings.Join(values, ", "))
		return 0
	}
	if i > 0 {
		o.keep(name, value)
	}
	return i
}

// count returns the option's value, a whole number from 1 on, or 0 if it was
// not given.
func (o *options) count(name string) int {
	value, ok := o.take(name)
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		o.fail(name, value, "a whole number from 1 on")
		return 0
	}
	o.keep(name, strconv.Itoa(n))
	return n
}

// size returns the option's value in bytes, or 0 if it was not given.
func (o *options) size(name string, least int) int {
	value, ok := o.take(name)
	if !ok {
		return 0
	}
	n, err := humanize.ParseBytes(value)
	if err != nil || n < uint64(least) || n > math.MaxInt32 {
		o.fail(name, value, fmt.Sprintf("a size from %s to 2GiB, such as 64KiB", formatSize(least)))
		return 0
	}
	o.keep(name, formatSize(int(n)))
	return int(n)
}

func (o *options) take(name string) (value string, ok bool) {
	o.known = append(o.known, name)
	value, ok = o.given[name]
	return value, ok
}

func (o *options) keep(name, value string) {
	o.canonical = append(o.canonical, name+"="+value)
}

func (o *options) fail(name, value, right string) {
	if o.wrong == nil {
		o.wrong = fmt.Errorf("%s=%q is wrong; it takes %s", name, value, right)
	}
}

// formatSize writes n exactly, in the largest unit that divides it: the
// library's own formatting rounds, and text must parse back to the same size.
func formatSize(n int) string {
	unit := 0
	units := []string{"B", "KiB", "MiB", "GiB"}
	for n > 0 && n%1024 == 0 && unit < len(units)-1 {
		n /= 1024
		unit++
	}
	return strconv.Itoa(n) + units[unit]
}
