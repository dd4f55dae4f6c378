package resident

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/cockroachdb/pebble/v2"
)

// entry is a filter that tables of the store have, in memory or not.
type entry struct {
	head
	// last is at or after the last prefix of all the tables' keys, nil if that
	// is unknown.
	last []byte

	// block is the first byte of the block while it is in memory. It is read
	// with a pin held.
	block atomic.Pointer[byte]
	// Queries since they were last collected, as far as they are sampled.
	asked, answered, denied atomic.Uint64

	// The rest belongs to who holds Filters.mu.
	offset int // of the block in the arena
	use    use
	tables int    // of the store that have it, as far as known
	level  int    // the upmost of them
	file   uint64 // of one of them
	born   int    // turn of the keeper in which it came
	retry  int    // turn from which on it may be loaded, after a failure
}

const unknownLevel = -1

const tableFilter = pebble.TableFilter

// isResident reports whether the block is in memory.
func (e *entry) isResident() bool { return e.block.Load() != nil }

// bytes returns the block, which begins at first.
func (e *entry) bytes(first *byte) []byte { return unsafe.Slice(first, e.size) }

func (e *entry) mayContain(first *byte, key []byte) bool {
	return e.policy.MayContain(tableFilter, e.bytes(first), key)
}

// use is how much an entry was asked for of late, in sampled queries times the
// sampling period. Each number ages.
type use struct {
	asked    float64 // by lookups that opened one of its tables
	answered float64 // of these, while the block was in memory
	denied   float64 // of these, with "no"
}

func (u *use) age(factor float64) {
	u.asked *= factor
	u.answered *= factor
	u.denied *= factor
}

// priorAnswers is how many answers a filter is credited with before it gave
// any, all of them "no": what it saves is only seen once it is in memory.
const priorAnswers = 16

// denyShare estimates the share of queries that the filter answers with "no".
func (u *use) denyShare() float64 {
	return (u.denied + priorAnswers) / (u.answered + priorAnswers)
}

// saves estimates how many openings of tables the filter would have saved of
// late.
func (e *entry) saves() float64 { return e.use.asked * e.use.denyShare() }

// density is what the filter saves for each byte.
func (e *entry) density() float64 { return e.saves() / float64(roundUp(e.size)) }

// ageFactor is what a use counts after some time.
func ageFactor(seconds float64) float64 { return math.Exp2(-seconds / halfLife.Seconds()) }
