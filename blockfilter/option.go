package blockfilter

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// option is an option=value word of a policy's text, bound to the field that it
// sets.
type option struct {
	name  string
	takes string // what values are right
	text  string // of the field's value, nothing for the default
	// set reads a value, and reports false if it is wrong.
	set func(value string) bool
}

// oneOf is an option whose values have names, from 0 on. The first is the
// default.
func oneOf[T ~uint8](name string, field *T, names ...string) option {
	o := option{name: name, takes: strings.Join(names, ", "), set: func(value string) bool {
		i := slices.Index(names, value)
		*field = T(max(i, 0))
		return i >= 0
	}}
	if *field != 0 {
		o.text = names[*field]
	}
	return o
}

// count is an option with a whole number from 1 on. The default is 0.
func count(name string, field *int) option {
	o := option{name: name, takes: "a whole number from 1 on", set: func(value string) bool {
		n, err := strconv.Atoi(value)
		*field = n
		return err == nil && n >= 1
	}}
	if *field != 0 {
		o.text = strconv.Itoa(*field)
	}
	return o
}

const (
	leastMax = 1024 // bytes: a trailer and some lines
	mostMax  = math.MaxInt32
)

// maxOption is the option with the most bytes of a block. The default is 0.
func maxOption(field *int) option {
	takes := fmt.Sprintf("a size from %s to 2GiB, such as 64KiB", formatSize(leastMax))
	o := option{name: "max", takes: takes, set: func(value string) bool {
		n, err := humanize.ParseBytes(value)
		*field = int(min(n, mostMax))
		return err == nil && n >= leastMax && n <= mostMax
	}}
	if *field != 0 {
		o.text = formatSize(*field)
	}
	return o
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
