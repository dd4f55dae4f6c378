package pebbleext_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// ledger follows what a store was told to write, one entry a key. A key's
// versions are numbered, and the number tells the value, so that a read at any
// moment, even one after a crash, can be judged: it must give a version that is
// no older than the last one acknowledged before, nor newer than the last one
// begun after. Keys may be written concurrently, but each by one goroutine.
type ledger []entry

// entry has the last version of a key whose write has begun, and the last one
// that is known to be stored.
type entry struct{ started, stored atomic.Int64 }

// Key and Absent return a key that is written, and one beside it that never is.
func (l ledger) Key(i int) []byte    { return fmt.Appendf(nil, "key%05d", i) }
func (l ledger) Absent(i int) []byte { return fmt.Appendf(nil, "key%05d-absent", i) }

// Ends bounds all keys.
func (l ledger) Ends() (start, end []byte) { return []byte("key"), []byte("kez") }

// deletes tells whether a version of a key is its absence, as version 0 is.
func deletes(version int64) bool { return version%5 == 0 }

// Write writes the next version of a key.
func (l ledger) Write(w pebble.Writer, i int, options *pebble.WriteOptions) error {
	version := l[i].started.Add(1)
	var err error
	if deletes(version) {
		err = w.Delete(l.Key(i), options)
	} else {
		err = w.Set(l.Key(i), fmt.Appendf(nil, "%d of key %d", version, i), options)
	}
	if err == nil {
		l[i].stored.Store(version)
	}
	return err
}

// Acknowledged returns the last version of each key that is known to be stored.
func (l ledger) Acknowledged() []int64 {
	versions := make([]int64, len(l))
	for i := range l {
		versions[i] = l[i].stored.Load()
	}
	return versions
}

// Begun returns the last version of each key that may be stored.
func (l ledger) Begun() []int64 {
	versions := make([]int64, len(l))
	for i := range l {
		versions[i] = l[i].started.Load()
	}
	return versions
}

// Judge reports what is wrong with a key's value, nil if the key was not found,
// where versions from oldest to newest are right.
func (l ledger) Judge(i int, value []byte, oldest, newest int64) error {
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

// lookUpIn returns a copy of the value of a key, nil if it is absent.
func lookUpIn(r storetest.Getter, key []byte) ([]byte, error) {
	value, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	value = slices.Clone(value)
	return value, closer.Close()
}

// lookUpMany is lookUpIn by GetMany.
func lookUpMany(r *pebbleext.Reader, key []byte) (value []byte, err error) {
	err = r.GetMany([][]byte{key}, func(_ int, v []byte) error {
		value = slices.Clone(v)
		return nil
	})
	return value, err
}
