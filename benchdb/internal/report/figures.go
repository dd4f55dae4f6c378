package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/perf/benchmath"
)

// Median is the middle value, or the mean of both in the middle.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Figure writes three digits.
func Figure(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Decimals writes three digits of a number above 1, and a smaller one with so
// many decimal places.
func Decimals(v float64, places int) string {
	switch size := math.Abs(v); {
	case size >= 100:
		places = 0
	case size >= 10:
		places = 1
	case size >= 1:
		places = 2
	}
	return strconv.FormatFloat(v, 'f', places, 64)
}

// Percent writes a share in percent with three digits.
func Percent(share float64) string { return fmt.Sprintf("%.3g%%", 100*share) }

// Compact writes a number with three digits: 883k, 1.88M.
func Compact(n float64) string {
	value, unit := humanize.ComputeSI(n)
	return fmt.Sprintf("%.3g%s", value, unit)
}

// Plural writes a number of things.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(int64(n)) + " " + noun + "s"
}

// Size is a number of bytes. It implements pflag.Value for texts such as
// 64MiB, 1.5GB and 4096.
type Size int64

// Set reads a number with an optional unit. Units are those of
// humanize.ParseBytes: MiB is 2^20 bytes, MB is 10^6.
func (s *Size) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("%q is no size; write a number with a unit, such as 64MiB", text)
	}
	*s = Size(n)
	return nil
}

// String returns the size in the largest binary unit that divides it. Set is
// its inverse.
func (s Size) String() string {
	units := []string{"", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for s != 0 && s%1024 == 0 && i+1 < len(units) {
		s /= 1024
		i++
	}
	return strconv.FormatInt(int64(s), 10) + units[i]
}

// Type implements pflag.Value.
func (s *Size) Type() string { return "size" }

// Sizes is a list of sizes. It implements pflag.Value for texts such as
// 2MiB,4MiB.
type Sizes []Size

// Set reads sizes separated by commas, at least one.
func (s *Sizes) Set(text string) error {
	var list Sizes
	for word := range strings.SplitSeq(text, ",") {
		var size Size
		if err := size.Set(strings.TrimSpace(word)); err != nil {
			return err
		}
		list = append(list, size)
	}
	*s = list
	return nil
}

// String returns the text that Set reads.
func (s *Sizes) String() string {
	words := make([]string, len(*s))
	for i, size := range *s {
		words[i] = size.String()
	}
	return strings.Join(words, ",")
}

// Type implements pflag.Value.
func (s *Sizes) Type() string { return "sizes" }

// Human returns the size rounded to three digits, for people.
func (s Size) Human() string { return humanize.IBytesN(uint64(max(s, 0)), 3) }

// Short returns what Human does without a space, and - for 0.
func (s Size) Short() string {
	if s == 0 {
		return "-"
	}
	return strings.ReplaceAll(s.Human(), " ", "")
}

// Shorter is Short with two digits.
func (s Size) Shorter() string {
	if s == 0 {
		return "-"
	}
	return strings.ReplaceAll(humanize.IBytesN(uint64(s), 2), " ", "")
}

// confidence is how often an interval holds the median.
const confidence = 0.95

// Spread is the 95 % confidence interval of the median of rounds to either side,
// as a share of it, or 0 if they are too few.
func Spread(rounds []float64) float64 {
	if len(rounds) == 0 {
		return 0
	}
	thresholds := benchmath.DefaultThresholds
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(rounds), &thresholds), confidence)
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) || s.Center == 0 {
		return 0
	}
	return max(s.Hi-s.Center, s.Center-s.Lo) / s.Center
}

// SpreadText writes a spread in percent, - if it is not known.
func SpreadText(share float64) string {
	switch {
	case share == 0:
		return "-"
	case share >= 0.1:
		return fmt.Sprintf("%.0f", 100*share)
	}
	return fmt.Sprintf("%.2g", 100*share)
}
