package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

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

// Human returns the size rounded to three digits, for people.
func (s Size) Human() string { return humanize.IBytesN(uint64(max(s, 0)), 3) }

// Short returns what Human does without a space, and - for 0.
func (s Size) Short() string {
	if s == 0 {
		return "-"
	}
	return strings.ReplaceAll(s.Human(), " ", "")
}
