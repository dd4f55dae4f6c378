package pebbleext

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

// NumLevels is the number of levels of a Pebble store, L0 to L6.
const NumLevels = len(pebble.Options{}.Levels)

// Plan is a level plan: what filters a store writes.
type Plan struct {
	// Levels has the policy that writes the table filters of each level. A nil
	// policy writes none, as pebble.NoFilterPolicy does; no level inherits from
	// the one above. Policies of other packages are welcome.
	Levels [NumLevels]pebble.FilterPolicy
	// Index is the bits of a fingerprint of index filters, which all levels
	// have, from [indexfilter.MinBits] to [indexfilter.MaxBits], or 0 for none.
	Index int
	// Prefix tells which prefixes the prefix filters hold, which all levels
	// have, or is nil for none. Resident filters have the same prefixes.
	// [Reader.NewPrefixIter] asks both.
	Prefix indexfilter.Extractor
	// Range is the bits for a key of range filters, which all levels have, from
	// [indexfilter.MinBits] to [indexfilter.MaxBits], or 0 for none.
	// [Reader.NewBoundedIter] asks them.
	Range int
}

// DefaultPlan returns L0=ribbon:14;L1-L6=ribbon:10, which is the text default. Of
// absent keys 0.006 and 0.10 % pass, where 1.17 % pass Pebble's own Bloom filter of
// 10 bits. L0 has more bits because it holds few keys, often in many tables, and
// each lookup asks them all. In memory these filters can be cut to any fewer bits.
//
// More bits in L1 to L5 push blocks out of a small cache: 4M keys in four levels,
// present ones in 4 MiB, read 1.08 blocks with 14 bits in L0 to L4 and 12 in L5,
// and 1.03 with 10; absent ones 0.029 and 0.032.
//
// Whoever writes keys of 16 bytes and values of 100 spends 5.1 % of the processor
// time of writes, flushes and compactions on ribbon filters, where Pebble's own
// take 1.9 % and dense:10 6.5 %. With values of 64 bytes it is 5.2 %, with values
// of 1,000 1.5 %, and without AVX-512, with values of 100, 8.6 %. (The profile of
// BenchmarkWrites, AMD EPYC: 156 samples of building ribbon, 17 of Pebble's
// filters.) Bloom filters in L0 to L4 would save at most a fifth of that, as
// flushes and these levels are a fifth of what tables cost to write.
func DefaultPlan() Plan {
	p := Uniform(filterpolicy.Ribbon(10))
	p.Levels[0] = filterpolicy.Ribbon(14)
	return p
}

// defaultWord is the text of DefaultPlan.
const defaultWord = "default"

// Uniform returns the plan with one policy for all levels, nil for none.
func Uniform(policy pebble.FilterPolicy) Plan {
	if policy == nil {
		policy = pebble.NoFilterPolicy
	}
	var p Plan
	for level := range p.Levels {
		p.Levels[level] = policy
	}
	return p
}

// ParsePlan reads the text form of a plan,
//
//	plan   = tables [";index=" bits] [";prefix=" prefix] [";range=" bits]
//	tables = "default" | policy | levels "=" policy {";" levels "=" policy}
//	levels = "L0" … "L6" | "L0-L5"
//	prefix = "length:" bytes | "delimiter:" character
//
// such as default, which is [DefaultPlan], bloom:10, which is for all levels,
// L0-L5=bloom:14;L6=bloom:10, or none;index=8, which has index filters of 8 bits
// a fingerprint and no others. bloom:10;prefix=length:4 has filters of the keys'
// first 4 bytes, too, and bloom:10;range=7 range filters with 7 bits for a key.
// Policies are those of [filterpolicy.Parse], and pebble-bloom:10, Pebble's own
// Bloom filter with a whole number of bits per key. Every level must be named
// once: write none where there shall be no filters.
//
// An error names the word that is wrong and what would be right.
func ParsePlan(text string) (Plan, error) {
	p, text, err := cutIndexFilters(text)
	if err == nil {
		err = p.parseTables(text)
	}
	if err != nil {
		return Plan{}, err
	}
	return p, nil
}

// The words that begin the parts of a plan about filters in the index, in their
// order.
const (
	indexWord  = "index="
	prefixWord = "prefix="
	rangeWord  = "range="
)

// cutIndexFilters cuts the parts about filters in the index off a plan's text.
func cutIndexFilters(text string) (p Plan, tables string, err error) {
	for _, word := range []string{indexWord, prefixWord, rangeWord} {
		if strings.HasPrefix(text, word) {
			return p, "", fmt.Errorf("%.40q names no table filters; write none;%.40s for these filters alone", text, text)
		}
		if _, value, ok := strings.Cut(text, ","+word); ok {
			return p, "", fmt.Errorf("%s%.40s comes after a comma; write it after a semicolon: ;%s%.30s", word, value, word, value)
		}
	}
	for _, part := range []struct {
		word string
		set  func(value string) error
	}{
		{rangeWord, func(value string) (err error) { p.Range, err = parseBits(value); return err }},
		{prefixWord, func(value string) (err error) { p.Prefix, err = indexfilter.ParseExtractor(value); return err }},
		{indexWord, func(value string) (err error) { p.Index, err = parseBits(value); return err }},
	} {
		rest, value, ok := strings.Cut(text, ";"+part.word)
		if !ok {
			continue
		}
		if err := part.set(value); err != nil {
			return p, "", fmt.Errorf("%s%w", part.word, err)
		}
		text = rest
	}
	return p, text, nil
}

// parseBits reads the bits of index or range filters.
func parseBits(value string) (int, error) {
	if bits, rest, more := strings.Cut(value, ";"); more {
		return 0, fmt.Errorf("%.40s is followed by %.40q; a plan ends with index=, prefix= and range=, in this order", bits, rest)
	}
	bits, err := strconv.Atoi(value)
	if err != nil || bits < indexfilter.MinBits || bits > indexfilter.MaxBits {
		return 0, fmt.Errorf("%.40s: %d to %d bits are right", value, indexfilter.MinBits, indexfilter.MaxBits)
	}
	return bits, nil
}

func (p *Plan) parseTables(text string) error {
	if level, ok := afterComma(text); ok {
		return fmt.Errorf("%s comes after a comma; levels are separated by semicolons: ;%s=…", level, level)
	}
	if text == "" {
		return errors.New("no plan; write default, or a policy such as bloom:10")
	}
	if text == defaultWord {
		p.Levels = DefaultPlan().Levels
		return nil
	}
	if !namesLevels(text) {
		policy, err := parsePolicy(text)
		p.Levels = Uniform(policy).Levels
		return err
	}
	parts := strings.Split(text, ";")
	if slices.Contains(parts, "") {
		return errors.New("a semicolon has nothing before or behind it; leave it out")
	}
	for _, part := range parts {
		if err := p.parsePart(part); err != nil {
			return err
		}
	}
	for level, policy := range p.Levels {
		if policy == nil {
			return fmt.Errorf("L%d has no policy; add L%d=none for no filters", level, level)
		}
	}
	return nil
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
	policy, err := parsePolicy(text)
	if err != nil {
		return fmt.Errorf("%s: %w", levels, err)
	}
	for level := first; level <= last; level++ {
		if p.Levels[level] != nil {
			return fmt.Errorf("L%d has two policies; give it one", level)
		}
		p.Levels[level] = policy
	}
	return nil
}

// parsePolicy reads the policy of a level.
func parsePolicy(text string) (pebble.FilterPolicy, error) {
	amount, ok := strings.CutPrefix(text, pebbleBloom)
	if !ok {
		policy, err := filterpolicy.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%w; or %s:10 for Pebble's own", err, pebbleBloom)
		}
		return policy, nil
	}
	bits, err := strconv.Atoi(strings.TrimPrefix(amount, ":"))
	if err != nil || amount[0] != ':' || bits < 1 || bits > maxPebbleBits {
		return nil, fmt.Errorf("%.40q: write %s:10, with whole bits per key from 1 to %d", text, pebbleBloom, maxPebbleBits)
	}
	return bloom.FilterPolicy(bits), nil
}

// pebbleBloom is the family of Pebble's own Bloom filter. Its writer is made for
// up to maxPebbleBits per key.
const (
	pebbleBloom   = "pebble-bloom"
	maxPebbleBits = 100
)

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

// String returns the plan's text in its shortest form, with the levels of
// DefaultPlan written out. ParsePlan is its inverse for policies of this module
// and Pebble's own.
func (p Plan) String() string {
	text := p.tables()
	if p.Index != 0 {
		text += fmt.Sprintf(";%s%d", indexWord, p.Index)
	}
	if p.Prefix != nil {
		text += fmt.Sprintf(";%s%s", prefixWord, p.Prefix)
	}
	if p.Range != 0 {
		text += fmt.Sprintf(";%s%d", rangeWord, p.Range)
	}
	return text
}

// tables is the plan's text without filters in the index.
func (p Plan) tables() string {
	var parts []string
	for first := 0; first < NumLevels; {
		text, last := policyText(p.Levels[first]), first
		for last+1 < NumLevels && policyText(p.Levels[last+1]) == text {
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
	case bloom.FilterPolicy:
		return fmt.Sprintf("%s:%d", pebbleBloom, policy)
	case fmt.Stringer:
		return policy.String()
	default:
		return policy.Name()
	}
}
