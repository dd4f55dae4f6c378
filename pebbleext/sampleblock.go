package pebbleext

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/filterpolicy"
)

// sampleBlock is a filter block of synthetic keys, built to learn what a policy
// makes of a table.
type sampleBlock struct {
	policy pebble.FilterPolicy
	block  []byte
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
