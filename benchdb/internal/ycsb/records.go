package ycsb

import "sync"

// Records counts the records of a store while threads insert more, as YCSB's
// AcknowledgedCounterGenerator does: reads ask only for numbers below which
// every insert is done. It is safe for concurrent use.
type Records struct {
	mu    sync.Mutex
	next  uint64
	last  uint64
	ahead map[uint64]bool // acknowledged numbers above last
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
