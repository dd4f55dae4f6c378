package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dustin/go-humanize"
)

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
