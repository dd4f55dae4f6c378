package pointread

import (
	"sync/atomic"

	"github.com/zeebo/xxh3"
)

// misses tells whether absent keys are many among those that were looked up of
// late. Each count is a mean over the last 512 or so of the keys that it counts,
// one in eight by their hashes: 4,096 lookups. It writes nothing while all keys are
// absent, or all are there, so that cores share a line that they only read. Two
// lookups at once may count as one.
//
// The ways cross at 4 % of absent keys where all table filters fit in the block
// cache: 3M keys in three levels read 1.03 blocks by Get, and by Tables 1.07 for
// a key that is there and 0.05 for an absent one. From 1 to 0 the mean takes
// 14,400 lookups to get below 3 %, from 0 to 1 it takes 210 to get above 5 %. The
// first keys of a process count for more, as there are fewer.
//
// It must not swing where the share stays, since each way wants other blocks in
// the cache: with 5 % of absent keys and 6 MiB these 3M read 1.60 blocks by a mean
// over 256 lookups, 1.30 over 1,024 and 0.98 over 4,096.
type misses struct {
	_     [64]byte
	share atomic.Int32 // of one
	seen  atomic.Int32 // keys that were counted, up to window
	_     [64]byte
	many  atomic.Bool
	_     [64]byte
}

const (
	one     = 1 << 20
	rare    = one * 3 / 100 // below, absent keys are few
	often   = one * 5 / 100 // above, they are many
	counted = 8             // one key in so many
	window  = 512           // the mean's
)

// count counts a lookup.
func (m *misses) count(key []byte, missed bool) {
	if xxh3.Hash(key)%counted != 0 {
		return
	}
	before := m.share.Load()
	target := int32(0)
	if missed {
		target = one
	}
	n := m.seen.Load()
	if n < window {
		n++
		m.seen.Store(n)
	}
	now := before + (target-before)/n // of fewer keys as long as there were fewer
	if now == before {
		return
	}
	m.share.Store(now)
	switch many := m.many.Load(); {
	case many && now < rare:
		m.many.Store(false)
	case !many && now > often:
		m.many.Store(true)
	}
}

// percent is the share of absent keys.
func (m *misses) percent() float64 { return 100 * float64(m.share.Load()) / one }
