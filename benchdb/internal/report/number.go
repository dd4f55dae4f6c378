package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"
)

// Number is a whole number. It implements pflag.Value for texts such as 40000,
// 10k and 1.5M.
type Number int

// maxNumber is what a float64 holds exactly.
const maxNumber = 1 << 53

// Set reads a number with an optional prefix of SI, k in capitals or not.
func (n *Number) Set(text string) error {
	v, unit, err := humanize.ParseSI(strings.ReplaceAll(strings.TrimSpace(text), "K", "k"))
	if err != nil || unit != "" || v != math.Trunc(v) || v < 0 || v > maxNumber {
		return fmt.Errorf("%q is no whole number; write one such as 40000, 10k or 1M", text)
	}
	*n = Number(v)
	return nil
}

// String returns the digits.
func (n *Number) String() string { return fmt.Sprint(int(*n)) }

// Type implements pflag.Value.
func (n *Number) Type() string { return "number" }

// Numbers is a list of numbers. It implements pflag.Value for texts such as
// 10k,100k.
type Numbers []Number

// Set reads numbers separated by commas, at least one.
func (ns *Numbers) Set(text string) error {
	var list Numbers
	for word := range strings.SplitSeq(text, ",") {
		var n Number
		if err := n.Set(word); err != nil {
			return err
		}
		list = append(list, n)
	}
	*ns = list
	return nil
}

// String returns the digits, separated by commas.
func (ns *Numbers) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]Number(*ns)), " ", ","), "[]")
}

// Type implements pflag.Value.
func (ns *Numbers) Type() string { return "numbers" }
