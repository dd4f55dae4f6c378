package planning

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Budget is the most memory for filters: bytes, a share of the data, or bits for
// each key. The zero value leaves it to the knee of the curve. It implements
// pflag.Value.
type Budget struct {
	bytes       report.Size
	share, bits float64
}

// Set reads a size such as 64MiB, a share such as 20%, or bits such as 10bits.
func (b *Budget) Set(text string) error {
	*b = Budget{}
	number, unit := text, ""
	for _, unit = range []string{"%", "bits", ""} {
		if number = strings.TrimSuffix(text, unit); number != text {
			break
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	fits := err == nil && v > 0 && !math.IsInf(v, 0)
	switch {
	case unit == "%" && fits && v <= 100:
		b.share = v / 100
		return nil
	case unit == "bits" && fits && v <= 100:
		b.bits = v
		return nil
	case unit == "" && b.bytes.Set(text) == nil && b.bytes > 0:
		return nil
	}
	return fmt.Errorf("%q is no budget; write a size such as 64MiB, a share of the data such as 20%%, or bits for each key such as 10bits", text)
}

// String returns a text that Set reads, empty for the zero value.
func (b *Budget) String() string {
	switch {
	case b.share > 0:
		return fmt.Sprintf("%g%%", 100*b.share)
	case b.bits > 0:
		return fmt.Sprintf("%gbits", b.bits)
	case b.bytes > 0:
		return b.bytes.String()
	}
	return ""
}

// Type implements pflag.Value.
func (b *Budget) Type() string { return "budget" }

// of is the budget for a store, 0 if it is left open.
func (b *Budget) of(shape levelplan.Shape) int64 {
	return int64(b.bytes) + int64(b.share*float64(dataBytes(shape))) + bytesOf(b.bits, shape)
}

func keys(shape levelplan.Shape) (n int64) {
	for _, l := range shape.Levels {
		n += l.Keys
	}
	return n
}

// usualRecord is the size of records where a shape has no blocks.
const usualRecord = 100

func dataBytes(shape levelplan.Shape) (n int64) {
	for _, l := range shape.Levels {
		if l.Blocks.DataBytes > 0 {
			n += l.Blocks.DataBytes
		} else {
			n += l.Keys * usualRecord
		}
	}
	return n
}
