package blockfilter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// None is the text of the policy that writes no filters. ParsePolicy does not
// take it: each version of Pebble has its own way to write none.
const None = "none"

// ParsePolicy reads the text form of a policy,
//
//	family ":" amount {"," option "=" value}
//
// such as bloom:10, bloom:9.5,layout=flat,scheme=partition or
// bloom:1%,max=1MiB. The amount is bits per key, or the false-positive rate to
// reach. The comment of package filterpolicy lists families and options.
//
// An error names the word that is wrong and what would be right.
func ParsePolicy(text string) (Policy, error) {
	p, err := parsePolicy(text)
	if err != nil {
		return Policy{}, fmt.Errorf("policy %s: %w", quote(text), err)
	}
	return p, nil
}

func parsePolicy(text string) (Policy, error) {
	name, rest, hasAmount := strings.Cut(text, ":")
	i := slices.IndexFunc(families[:], func(f family) bool { return f.name == name && name != "" })
	if name == None || strings.HasPrefix(name, None+",") {
		return Policy{}, fmt.Errorf("%q has neither an amount nor options; write it alone", None)
	}
	if i < 0 {
		known := Families()
		slices.Sort(known)
		return Policy{}, fmt.Errorf("unknown family %s; there are %s", quote(name), strings.Join(append(known, None), ", "))
	}
	if !hasAmount {
		return Policy{}, fmt.Errorf("%q has no amount; write bits per key (%s:10) or a rate (%s:1%%)", name, name, name)
	}
	amount, options, _ := strings.Cut(rest, ",")
	bits, percent, err := parseAmount(amount)
	if err != nil {
		return Policy{}, err
	}
	p := Policy{row: &families[i], config: families[i].blank, percent: percent, level: LevelUnknown}
	if strings.Contains(rest, ",") {
		p.edit(func(s settings) { err = p.setOptions(s, strings.Split(options, ",")) })
	}
	if err == nil && percent > 0 {
		bits, err = p.config.Bits(percent / 100)
	}
	if err != nil {
		return Policy{}, err
	}
	p.edit(func(s settings) { *s.bitsPerKey = bits })
	return p, p.config.Validate()
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

// setOptions sets the options that words give. Unknown ones come before wrong
// values among its errors.
func (p *Policy) setOptions(s settings, words []string) error {
	known := p.options(s)
	var given []string
	var wrong error
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			return fmt.Errorf("%s is no option; options are written name=value", quote(w))
		}
		if slices.Contains(given, name) {
			return fmt.Errorf("option %s is given twice", quote(name))
		}
		given = append(given, name)
		i := slices.IndexFunc(known, func(o option) bool { return o.name == name })
		if i < 0 {
			return fmt.Errorf("unknown option %s; %s has %s", quote(name), p.row.name, names(known))
		}
		if !known[i].set(value) && wrong == nil {
			wrong = fmt.Errorf("%s=%s is wrong; it takes %s", name, quote(value), known[i].takes)
		}
	}
	return wrong
}

// names lists the names of options in alphabetical order.
func names(options []option) string {
	var names []string
	for _, o := range options {
		names = append(names, o.name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
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
