package levelplan

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/gravelkv/gravel/blockfilter/ribbon"
	"github.com/gravelkv/gravel/filterpolicy"
)

// AmountStep is the step of bits per key in plans, so that people can read
// them.
const AmountStep = 0.1

// maxAmount is more bits per key than a level of any store can use.
const maxAmount = 32

// leastUsefulRate is that of a filter which says "no" every other time.
// Filters below cost more time than they save.
const leastUsefulRate = 0.5

// candidate is a policy that a level can get.
type candidate struct {
	text string
	bits float64
	rate float64
}

// candidates returns a family's policies by increasing bits per key, those with
// which a level is better off than without.
func candidates(family string) ([]candidate, error) {
	kept, _ := candidateLists.LoadOrStore(family, sync.OnceValues(func() ([]candidate, error) {
		return listCandidates(family)
	}))
	return kept.(func() ([]candidate, error))()
}

var candidateLists sync.Map // from family to func() ([]candidate, error)

func listCandidates(family string) ([]candidate, error) {
	if _, err := filterpolicy.Parse(family + ":10"); err != nil {
		return nil, err
	}
	var list []candidate
	for step := 1; step <= maxAmount/AmountStep; step++ {
		bits := float64(step) / (1 / AmountStep)
		text := family + ":" + strconv.FormatFloat(bits, 'g', -1, 64)
		policy, err := filterpolicy.Parse(text)
		if err != nil {
			continue // families have different least and most bits
		}
		if rate := policy.(*filterpolicy.Policy).Rate(); rate <= leastUsefulRate {
			list = append(list, candidate{text, bits, rate})
		}
	}
	return list, nil
}

// blockSizes is the size of a family's blocks for tables of one number of keys,
// a straight line over the bits per key: every family has costs that do not
// depend on the bits, such as a trailer, and small tables round up.
type blockSizes struct{ fixed, perBit float64 }

func (b blockSizes) at(bits float64) float64 { return b.fixed + b.perBit*bits }

// newBlockSizes takes the sizes of two blocks.
func newBlockSizes(family string, keys int64) (blockSizes, error) {
	const low, high = 4, 12 // bits per key that every family has
	small, err := blockSize(family, low, keys)
	if err != nil {
		return blockSizes{}, err
	}
	large, err := blockSize(family, high, keys)
	perBit := (large - small) / (high - low)
	return blockSizes{fixed: small - low*perBit, perBit: perBit}, err
}

// blockSize builds a block, unless it is a ribbon: the size of those varies
// with their seeds by 0.1 %, and plans for one budget shall not.
func blockSize(family string, bits, keys int64) (float64, error) {
	policy, err := filterpolicy.Parse(fmt.Sprintf("%s:%d", family, bits))
	if err != nil {
		return 0, err
	}
	if family == "ribbon" {
		return float64(ribbon.Config{BitsPerKey: float64(bits)}.Size(int(keys))), nil
	}
	return buildBlock(policy, keys).size, nil
}
