package inspect

import (
	"strconv"

	"github.com/gravelkv/gravel/blockfilter/ribbon"
	"github.com/gravelkv/gravel/blockfilter/theory"
	"github.com/gravelkv/gravel/filterpolicy"
)

const (
	trailerSize = 32 // of Gravel's blocks
	// compressedOverhead is what compressed blocks take beyond their bits per
	// key, to be asked in place.
	compressedOverhead = 0.18
)

// expected returns the rate of filters of the row's mean size, if its family is
// known.
func (r *Row) expected() (rate float64, ok bool) {
	if r.Keys == 0 || r.Family == None || r.Family == Unreadable {
		return 0, false
	}
	keys, bytes := float64(r.Keys)/float64(r.Tables), float64(r.Bytes)/float64(r.Tables)
	bits := 8 * (bytes - trailerSize) / keys
	switch r.Family {
	case PebbleBloom:
		bits = 8 * (bytes - pebbleTrailer) / keys
		return theory.LineRate(bits, min(max(r.pebbleProbes, 1), theory.MaxLineProbes)), true
	case "ribbon":
		const low, high = 4, 12
		size := func(bits float64) float64 { return float64(ribbon.Config{BitsPerKey: bits}.Size(int(keys))) }
		bits = low + (high-low)*(bytes-size(low))/(size(high)-size(low))
	case "compressed":
		bits -= compressedOverhead
	}
	policy, err := filterpolicy.Parse(r.Family + ":" + strconv.FormatFloat(bits, 'f', 3, 64))
	if err != nil {
		return 0, false
	}
	p, ok := policy.(*filterpolicy.Policy)
	if !ok {
		return 0, false
	}
	return p.Rate(), true
}
