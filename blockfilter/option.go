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
	name string
	// set reads a value. The error says what would be right.
	set func(value string) error
	// text writes the value: nothing for the default.
	text func() string
}

// oneOf is an option whose values have names, from 0 on. The first is the
// default.
func oneOf[T ~uint8](name string, field *T, names ...string) option {
	return option{name, func(value string) error {
		i := slices.Index(names, value)
		if i < 0 {
			return wrongValue(name, value, strings.Join(names, ", "))
		}
		*field = T(i)
		return nil
	}, func() string {
		if *field == 0 {
			return ""
		}
		return names[*field]
	}}
}

// flag is an option that is true or, by default, false.
func flag(name string, field *bool) option {
	return option{name, func(value string) error {
		if value != "false" && value != "true" {
			return wrongValue(name, value, "false, true")
		}
		*field = value == "true"
		return nil
	}, func() string {
		if !*field {
			return ""
		}
		return "true"
	}}
}

// count is an option with a whole number from 1 on. The default is 0.
func count(name string, field *int) option {
	return option{name, func(value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return wrongValue(name, value, "a whole number from 1 on")
		}
		*field = n
		return nil
	}, func() string {
		if *field == 0 {
			return ""
		}
		return strconv.Itoa(*field)
	}}
}

const (
	leastMax = 1024 // bytes: a trailer and some lines
	mostMax  = math.MaxInt32
)

// size is an option with a number of bytes. The default is 0.
func size(name string, field *int) option {
	return option{name, func(value string) error {
		n, err := humanize.ParseBytes(value)
		if err != nil || n < leastMax || n > mostMax {
			return wrongValue(name, value, fmt.Sprintf("a size from %s to 2GiB, such as 64KiB", formatSize(leastMax)))
		}
		*field = int(n)
		return nil
	}, func() string {
		if *field == 0 {
			return ""
		}
		return formatSize(*field)
	}}
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

func wrongValue(name, value, right string) error {
	return fmt.Errorf("%s=%s is wrong; it takes %s", name, quote(value), right)
}
