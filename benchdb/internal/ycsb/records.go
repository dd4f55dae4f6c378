package ycsb

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
)

// Records counts the records of a store while threads insert more, as YCSB's
// AcknowledgedCounterGenerator does: reads ask only for numbers below which
// every insert is done. It is safe for concurrent use.
type Records struct {
	drawn atomic.Int64 // operations of all threads, where it matters

	mu    sync.Mutex
	next  uint64
	last  uint64
	ahead map[uint64]bool // acknowledged numbers above last

	order  sync.Once
	ranked []uint64
}

// inOrder returns the records that there were first in the order of their keys.
func (r *Records) inOrder(keys Keys) []uint64 {
	r.order.Do(func() { r.ranked = keys.ranked(r.Last() + 1) })
	return r.ranked
}

// NewRecords starts with the numbers below count, at least 1.
func NewRecords(count uint64) *Records {
	return &Records{next: count, last: count - 1, ahead: map[uint64]bool{}}
}

// Take returns the number of the next record to insert.
func (r *Records) Take() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	return r.next - 1
}

// Acknowledge tells that a taken number is now in the store.
func (r *Records) Acknowledge(number uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ahead[number] = true
	for r.ahead[r.last+1] {
		r.last++
		delete(r.ahead, r.last)
	}
}

// Last returns the greatest number that reads may ask for.
func (r *Records) Last() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// Keys is the form of records' keys: their size in bytes, or 0 for YCSB's own
// form.
type Keys int

// Sizes of keys. Those of usualKeySize and more are decimal.
const (
	MinKeySize   = 8
	usualKeySize = len("user") + 19
)

// Size is that of a key in bytes, the usual one of YCSB's own form.
func (k Keys) Size() int { return cmp.Or(int(k), usualKeySize) }

// Append appends the key of a record: "user" and a decimal hash of its number, as
// YCSB's CoreWorkload writes it with insertorder=hashed, and with as many zeros
// between them as make up the size. Smaller keys end with the hash's eight bytes.
func (k Keys) Append(dst []byte, number uint64) []byte {
	return k.append(dst, hash(number))
}

func (k Keys) append(dst []byte, h uint64) []byte {
	const filler = "user00000000000"
	switch size := int(k); {
	case size == 0:
		return strconv.AppendUint(append(dst, "user"...), h, 10)
	case size < usualKeySize:
		return binary.BigEndian.AppendUint64(append(dst, filler[:size-MinKeySize]...), h)
	default:
		return fmt.Appendf(dst, "user%0*d", size-len("user"), h)
	}
}

// Numbers of 19 digits, as most hashes are.
const (
	minDigits19 = 1e18
	maxDigits19 = 1e19 - 1
)

// AppendAt appends a key at a place, which need not be that of a record. Keys are
// ordered as their places are.
func (k Keys) AppendAt(dst []byte, place uint64) []byte {
	if k == 0 {
		place = max(place, minDigits19)
	}
	return k.append(dst, min(place, maxDigits19))
}

// place returns that of a record's key: its hash, with 19 digits in keys without
// zeros before them.
func (k Keys) place(number uint64) uint64 {
	h := hash(number)
	for k == 0 && 0 < h && h < minDigits19 {
		h *= 10
	}
	return h
}

// places is about how many there are.
func (k Keys) places() uint64 {
	const hashes = 1 << 63
	if k == 0 {
		return hashes - minDigits19
	}
	return hashes
}

// PrefixLength is how many bytes of a key scans of a prefix ask for: so many
// that keys of other records begin so with a chance of one in a thousand.
func (k Keys) PrefixLength(records uint64) int {
	const others = 1000
	if size := k.Size(); size < usualKeySize {
		bits := bits.Len64(records*others - 1)
		return size - 8 + (1+bits+7)/8 // the hash's first bit is 0
	}
	digits := len(strconv.FormatUint(records*others-1, 10))
	return k.Size() - usualKeySize + len("user") + digits
}

// hash is YCSB's Utils.fnvhash64: 64-bit FNV-1a over the number's eight bytes,
// low byte first, and the absolute value of that as a signed number. The other
// byte order would leave keys of neighbouring numbers next to each other.
func hash(number uint64) uint64 {
	h := uint64(0xcbf29ce484222325)
	for range 8 {
		h = (h ^ number&0xff) * 0x100000001b3
		number >>= 8
	}
	if int64(h) < 0 {
		return -h
	}
	return h
}

// Values gives each record its value: bytes that do not compress, so that a
// store's size follows from its records.
type Values struct {
	pool []byte
	size int
}

// poolSize is far above the window in which Pebble's compressors look for
// repeats, a block.
const poolSize = 1 << 20

// NewValues returns values of one size in bytes.
func NewValues(size int, seed uint64) *Values {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	v := &Values{pool: make([]byte, poolSize+max(size, maxValueSize)), size: size}
	_, _ = rand.NewChaCha8(key).Read(v.pool) // never fails
	return v
}

// Of returns the value of a record, a slice that the caller must not change.
func (v *Values) Of(number uint64) []byte { return v.OfSize(number, v.size) }

// OfSize is Of in another size, up to the usual one or 1 KiB.
func (v *Values) OfSize(number uint64, size int) []byte {
	start := hash(number) % poolSize
	return v.pool[start:][:size]
}
