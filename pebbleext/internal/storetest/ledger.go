package storetest

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// Ledger follows what a store was told to write, one entry a key. A key's
// versions are numbered, and the number tells the value, so that a read at any
// moment, even one after a crash, can be judged: it must give a version that is
// no older than the last one acknowledged before, nor newer than the last one
// begun after. Keys may be written concurrently, but each by one goroutine.
type Ledger []Entry

// Entry has the last version of a key whose write has begun, and the last one
// that is known to be stored.
type Entry struct{ Started, Stored atomic.Int64 }

// Key and Absent return a key that is written, and one beside it that never is.
func (l Ledger) Key(i int) []byte    { return fmt.Appendf(nil, "key%05d", i) }
func (l Ledger) Absent(i int) []byte { return fmt.Appendf(nil, "key%05d-absent", i) }

// Ends bounds all keys.
func (l Ledger) Ends() (start, end []byte) { return []byte("key"), []byte("kez") }

// deletes tells whether a version of a key is its absence, as version 0 is.
func deletes(version int64) bool { return version%5 == 0 }

// Write writes the next version of a key.
func (l Ledger) Write(w pebble.Writer, i int, options *pebble.WriteOptions) error {
	version := l[i].Started.Add(1)
	var err error
	if deletes(version) {
		err = w.Delete(l.Key(i), options)
	} else {
		err = w.Set(l.Key(i), fmt.Appendf(nil, "%d of key %d", version, i), options)
	}
	if err == nil {
		l[i].Stored.Store(version)
	}
	return err
}

// Acknowledged returns the last version of each key that is known to be stored.
func (l Ledger) Acknowledged() []int64 {
	versions := make([]int64, len(l))
	for i := range l {
		versions[i] = l[i].Stored.Load()
	}
	return versions
}

// Begun returns the last version of each key that may be stored.
func (l Ledger) Begun() []int64 {
	versions := make([]int64, len(l))
	for i := range l {
		versions[i] = l[i].Started.Load()
	}
	return versions
}

// Judge reports what is wrong with a key's value, nil if the key was not found,
// where versions from oldest to newest are right.
func (l Ledger) Judge(i int, value []byte, oldest, newest int64) error {
	if value == nil {
		for version := oldest; version <= newest; version++ {
			if deletes(version) {
				return nil
			}
		}
		return fmt.Errorf("key %d was not found; versions %d to %d are present", i, oldest, newest)
	}
	number, of, _ := strings.Cut(string(value), " of key ")
	version, err := strconv.ParseInt(number, 10, 64)
	if err != nil || of != strconv.Itoa(i) {
		return fmt.Errorf("key %d has %q, the value of another key", i, value)
	}
	if version < oldest || version > newest || deletes(version) {
		return fmt.Errorf("key %d has version %d, not one from %d to %d", i, version, oldest, newest)
	}
	return nil
}
