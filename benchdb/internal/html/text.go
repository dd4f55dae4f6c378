package html

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// family is the first word of a policy, empty for a level plan.
func family(policy string) string {
	name, _, _ := strings.Cut(policy, ":")
	if strings.Contains(name, "=") {
		return ""
	}
	return name
}

// figure writes three digits.
func figure(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// signedPercent writes a change, without claiming more than it knows.
func signedPercent(change float64) string {
	percent := 100 * change
	if math.Abs(percent) >= 99 && percent < 0 {
		return fmt.Sprintf("−%.2f %%", -percent)
	}
	return strings.Replace(fmt.Sprintf("%+.0f %%", percent), "-", "−", 1)
}

// microseconds writes nanoseconds.
func microseconds(ns int64) string { return figure(float64(ns) / 1000) }
