package levelplan

import (
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/filterpolicy"
)

// sampleBlock is a filter block of synthetic keys, built to learn what a policy
// makes of a table.
type sampleBlock struct {
	policy pebble.FilterPolicy
	block  []byte
	keys   int64 // in the block
	// size is that of the block of a table with as many keys as asked for.
	size float64
}

// maxSampleKeys bounds the time of a sample to 0.1 s; beyond, blocks grow in
// proportion.
const maxSampleKeys = 1 << 20

func buildBlock(policy pebble.FilterPolicy, keys int64) sampleBlock {
	b := sampleBlock{policy: policy}
	if policy == nil || policy == pebble.NoFilterPolicy {
		return b
	}
	built := min(keys, maxSampleKeys)
	b.keys = built
	w := policy.NewWriter(pebble.TableFilter)
	var key [8]byte
	for i := range built {
		binary.BigEndian.PutUint64(key[:], uint64(i))
		w.AddKey(key[:])
	}
	b.block = w.Finish(nil)
	b.size = float64(len(b.block)) * float64(keys) / float64(built)
	return b
}

// rate returns the false-positive rate of the policy: its own word if it is one
// of Gravel's, and otherwise that of the block.
func (b sampleBlock) rate() float64 {
	if policy, ok := b.policy.(*filterpolicy.Policy); ok {
		if rounded, ok := b.rounded(policy); ok {
			return rounded.Rate()
		}
		return policy.Rate()
	}
	if b.block == nil {
		return 1
	}
	const probes = 1 << 18 // within 2 % at a rate of 1 %
	var key [16]byte
	random := rand.New(rand.NewPCG(1, 2))
	positives := 0
	for range probes {
		binary.BigEndian.PutUint64(key[:], random.Uint64())
		binary.BigEndian.PutUint64(key[8:], random.Uint64())
		if b.policy.MayContain(pebble.TableFilter, b.block, key[:]) {
			positives++
		}
	}
	return float64(positives) / probes
}

// rounded returns the policy with the bits per key that the block has: a whole
// number of lines, which in a table of 400 keys is up to 13 % more than asked
// for. It reports false for policies without lines, or with options.
func (b sampleBlock) rounded(policy *filterpolicy.Policy) (*filterpolicy.Policy, bool) {
	const trailer = 32 // bytes
	family, amount, _ := strings.Cut(policy.String(), ":")
	if family != "bloom" && family != "twochoice" || strings.ContainsAny(amount, "%,") {
		return nil, false
	}
	bits := 8 * float64(len(b.block)-trailer) / float64(b.keys)
	p, err := filterpolicy.Parse(family + ":" + strconv.FormatFloat(bits, 'f', 6, 64))
	if err != nil {
		return nil, false // more bits than the family has
	}
	rounded, ok := p.(*filterpolicy.Policy)
	return rounded, ok
}
