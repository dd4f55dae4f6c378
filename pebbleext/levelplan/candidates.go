package levelplan

import (
	"slices"

	"github.com/gravelkv/gravel/filterpolicy"
)

// amountStep is the step of bits per key in plans, so that people can read
// them.
const amountStep = 0.1

// maxAmount is more bits per key than a level of any store can use.
const maxAmount = 32

// leastUsefulRate is that of a filter that says "no" every other time. Filters
// with higher rates cost more time than they save.
const leastUsefulRate = 0.5

// manyKeys are enough keys for the rounding of filters to whole lines not to
// matter.
const manyKeys = 1 << 20

// candidate is a policy that a level can get.
type candidate struct {
	policy *filterpolicy.Policy
	bits   float64
	rate   float64
}

// candidates returns a family's policies by increasing bits per key, those with
// which a level is better off than without.
func candidates(family string) ([]candidate, error) {
	parsed, err := filterpolicy.Parse(family + ":10")
	if err != nil {
		return nil, err
	}
	var list []candidate
	for step := 1.0; step <= maxAmount/amountStep; step++ {
		bits := step / (1 / amountStep)
		policy, err := parsed.(*filterpolicy.Policy).WithBitsPerKey(bits)
		if err != nil {
			continue // families have different least and most bits
		}
		if rate := policy.ExpectedRate(manyKeys); rate <= leastUsefulRate {
			list = append(list, candidate{policy, bits, rate})
		}
	}
	return list, nil
}

// blockSizes is the size of a family's blocks for tables of one number of keys,
// a straight line over the bits per key: every family has costs that do not
// depend on the bits, such as a trailer, and small tables round up.
type blockSizes struct{ fixed, perBit float64 }

func (b blockSizes) at(bits float64) float64 { return b.fixed + b.perBit*bits }

// newBlockSizes lays the line through the sizes of two of a family's policies.
func newBlockSizes(list []candidate, keys int64) blockSizes {
	const low, high = 4, 12 // bits per key that every family has
	size := func(bits float64) float64 {
		i := slices.IndexFunc(list, func(c candidate) bool { return c.bits >= bits })
		return float64(list[i].policy.ExpectedSize(int(keys)))
	}
	perBit := (size(high) - size(low)) / (high - low)
	return blockSizes{fixed: size(low) - low*perBit, perBit: perBit}
}
