package resident

import (
	"encoding/binary"
	"iter"
	"sync/atomic"
)

// directory finds filters by identity: open addressing with linear probing.
// Identities are hashes, so that their first bytes spread them.
//
// Any number of goroutines may look up while one changes it. A lookup may miss
// a filter that a change moves at that moment; it never finds a wrong one.
type directory struct {
	slots atomic.Pointer[[]atomic.Pointer[filter]] // a power of two, at most half full
	count int
}

const minDirectory = 16

func (d *directory) find(id identity) *filter {
	slots := d.slots.Load()
	if slots == nil {
		return nil
	}
	for i := place(id, *slots); ; i = (i + 1) & (len(*slots) - 1) {
		e := (*slots)[i].Load()
		if e == nil || e.id == id {
			return e
		}
	}
}

func place(id identity, slots []atomic.Pointer[filter]) int {
	return int(binary.LittleEndian.Uint64(id[:]) & uint64(len(slots)-1))
}

// add adds a filter whose identity is not there.
func (d *directory) add(e *filter) {
	slots := d.slots.Load()
	if slots == nil || 2*(d.count+1) > len(*slots) {
		slots = d.grow(slots)
	}
	put(*slots, e)
	d.count++
}

func (d *directory) grow(old *[]atomic.Pointer[filter]) *[]atomic.Pointer[filter] {
	if old == nil {
		old = new([]atomic.Pointer[filter])
	}
	slots := make([]atomic.Pointer[filter], max(minDirectory, 2*len(*old)))
	for i := range *old {
		if e := (*old)[i].Load(); e != nil {
			put(slots, e)
		}
	}
	d.slots.Store(&slots)
	return &slots
}

func put(slots []atomic.Pointer[filter], e *filter) {
	i := place(e.id, slots)
	for slots[i].Load() != nil {
		i = (i + 1) & (len(slots) - 1)
	}
	slots[i].Store(e)
}

// remove removes a filter that is there, and puts those behind it anew, which
// may have their place because its was taken.
func (d *directory) remove(e *filter) {
	slots := *d.slots.Load()
	i := place(e.id, slots)
	for slots[i].Load() != e {
		i = (i + 1) & (len(slots) - 1)
	}
	slots[i].Store(nil)
	d.count--
	for {
		i = (i + 1) & (len(slots) - 1)
		moved := slots[i].Load()
		if moved == nil {
			return
		}
		slots[i].Store(nil)
		put(slots, moved)
	}
}

// all yields every filter. The directory must not change meanwhile.
func (d *directory) all() iter.Seq[*filter] {
	return func(yield func(*filter) bool) {
		slots := d.slots.Load()
		if slots == nil {
			return
		}
		for i := range *slots {
			if e := (*slots)[i].Load(); e != nil && !yield(e) {
				return
			}
		}
	}
}
