package levelplan

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/filterpolicy"
)

// expectedFilter returns the bytes and the false-positive rate of a policy's
// filter for a table.
func expectedFilter(policy pebble.FilterPolicy, keys int64) (bytes, rate float64) {
	if policy == nil || policy == pebble.NoFilterPolicy {
		return 0, 1
	}
	if policy, ok := policy.(*filterpolicy.Policy); ok {
		return float64(policy.ExpectedSize(int(keys))), policy.ExpectedRate(int(keys))
	}
	return measuredFilter(policy, keys)
}

// maxMeasuredKeys bounds the time of a measurement to 0.1 s; beyond, blocks
// grow in proportion.
const maxMeasuredKeys = 1 << 20

// measuredFilter is expectedFilter for policies of other packages, by a block
// of synthetic keys.
func measuredFilter(policy pebble.FilterPolicy, keys int64) (bytes, rate float64) {
	built := min(keys, maxMeasuredKeys)
	w := policy.NewWriter(pebble.TableFilter)
	var key [8]byte
	for i := range built {
		binary.BigEndian.PutUint64(key[:], uint64(i))
		w.AddKey(key[:])
	}
	block := w.Finish(nil)
	const queries = 1 << 18 // within 2 % at a rate of 1 %
	var absent [16]byte
	random := rand.New(rand.NewPCG(1, 2))
	positives := 0
	for range queries {
		binary.BigEndian.PutUint64(absent[:], random.Uint64())
		binary.BigEndian.PutUint64(absent[8:], random.Uint64())
		if policy.MayContain(pebble.TableFilter, block, absent[:]) {
			positives++
		}
	}
	return float64(len(block)) * float64(keys) / float64(built), float64(positives) / queries
}
