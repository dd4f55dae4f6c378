package blockfilter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// ParsePolicy reads the text form of a policy, such as bloom:10, ribbon:7.5 or
// dense:1%,max=1MiB, which the comment of package filterpolicy specifies.
//
// An error names the word that is wrong and what would be right.
func ParsePolicy(text string) (Policy, error) {
	o, err := parseOptions(text)
	if err == nil {
		var p Policy
		if p, err = NewPolicy(o); err == nil {
			return p, nil
		}
	}
	return Policy{}, fmt.Errorf("policy %s: %w", quote(text), err)
}

func parseOptions(text string) (o Options, err error) {
	name, rest, hasAmount := strings.Cut(text, ":")
	if name == None || strings.HasPrefix(name, None+",") {
		return o, fmt.Errorf("%q has neither an amount nor options; write it alone", None)
	}
	f, err := findFamily(name)
	if err != nil {
		return o, err
	}
	if !hasAmount {
		return o, fmt.Errorf("%q has no amount; write bits per key (%s:10) or a rate (%s:1%%)", name, name, name)
	}
	o.Family = name
	words := strings.Split(rest, ",")
	if o.BitsPerKey, o.Percent, err = parseAmount(words[0]); err != nil {
		return o, err
	}
	return o, o.set(f, words[1:])
}

// parseAmount returns the bits per key or the rate in percent; the other is 0.
func parseAmount(word string) (bits, percent float64, err error) {
	number, isPercent := strings.CutSuffix(word, "%")
	v, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
		return 0, 0, fmt.Errorf("%s is no amount; write bits per key (10) or a rate (1%%)", quote(word))
	case !isPercent:
		return v, 0, nil
	case !(v > 0 && v < 100):
		return 0, 0, fmt.Errorf("a rate must be above 0%% and below 100%%, not %s", shorten(word))
	}
	return 0, v, nil
}

// set sets the options that words give. Unknown ones come before wrong values
// among its errors.
func (o *Options) set(f *family, words []string) error {
	var given []string
	var wrong error
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		switch {
		case !ok:
			return fmt.Errorf("%s is no option; options are written name=value", quote(w))
		case slices.Contains(given, name):
			return fmt.Errorf("option %s is given twice", quote(name))
		case !slices.Contains(f.optionNames(), name):
			return fmt.Errorf("unknown option %s; %s has %s", quote(name), f.name, strings.Join(f.optionNames(), ", "))
		}
		given = append(given, name)
		if right, ok := o.setOne(f, name, value); !ok && wrong == nil {
			wrong = fmt.Errorf("%s=%s is wrong; it takes %s", name, quote(value), right)
		}
	}
	return wrong
}

// optionNames returns the names of the family's options in alphabetical order.
func (f *family) optionNames() []string {
	names := append([]string{"max", "verify"}, f.options...)
	slices.Sort(names)
	return names
}

// setOne sets the option of a name. If the value is wrong it reports false, and
// which values are right.
func (o *Options) setOne(f *family, name, value string) (right string, ok bool) {
	switch name {
	case "layout":
		return oneOf(&o.Layout, value, layouts)
	case "scheme":
		return oneOf(&o.Scheme, value, f.schemes)
	case "choices":
		return count(&o.Choices, value)
	case "rounds":
		return count(&o.Rounds, value)
	case "k":
		return count(&o.Probes, value)
	case "max":
		n, err := humanize.ParseBytes(value)
		o.MaxBytes = int(min(n, mostMax))
		return "a size from 1KiB to 2GiB, such as 64KiB", err == nil && n >= leastMax && n <= mostMax
	default:
		o.Verify = value == "true"
		return "false, true", o.Verify || value == "false"
	}
}

func oneOf(field *string, value string, names []string) (right string, ok bool) {
	*field = value
	return strings.Join(names, ", "), slices.Contains(names, value)
}

func count(field *int, value string) (right string, ok bool) {
	n, err := strconv.Atoi(value)
	*field = n
	return "a whole number from 1 on", err == nil && n >= 1
}

// words returns the options as words of a text, in its order.
func (o Options) words() (words []string) {
	add := func(name, value string, given bool) {
		if given {
			words = append(words, name+"="+value)
		}
	}
	add("layout", o.Layout, o.Layout != "")
	add("scheme", o.Scheme, o.Scheme != "")
	add("choices", strconv.Itoa(o.Choices), o.Choices != 0)
	add("rounds", strconv.Itoa(o.Rounds), o.Rounds != 0)
	add("k", strconv.Itoa(o.Probes), o.Probes != 0)
	add("max", formatSize(o.MaxBytes), o.MaxBytes != 0)
	add("verify", "true", o.Verify)
	return words
}

// String returns the policy's text in its shortest form: ParsePolicy is its
// inverse.
func (p Policy) String() string {
	amount := formatNumber(p.options.BitsPerKey)
	if p.options.Percent != 0 {
		amount = formatNumber(p.options.Percent) + "%"
	}
	return strings.Join(append([]string{p.options.Family + ":" + amount}, p.options.words()...), ",")
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

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

// quote quotes words of the input for an error, shortened.
func quote(s string) string { return strconv.Quote(shorten(s)) }

// shorten keeps the beginning of a long text. An error quotes a policy and one
// word of it, so that it repeats at most 80 bytes of input.
func shorten(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most-3], "") + "…"
}
