package pebbleext_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestCorruptFilterBlocks flips bits of filter blocks on disk. Pebble's
// checksums catch that. Where they are made to fit, a filter may deny keys that
// are there, but nothing panics and no lookup gives a wrong value.
func TestCorruptFilterBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	for _, text := range storetest.PlanTexts {
		if storetest.ParsePlan(t, text).Levels[0] == pebble.NoFilterPolicy {
			continue
		}
		t.Run(text, func(t *testing.T) {
			store := newFilteredTable(t, text)
			for _, flips := range []int{1, 3, 100} {
				for _, last := range []int{len(store.filter()), 40, 32} { // bytes to flip bits of; 32 are the trailer
					table := bytes.Clone(store.table)
					filter := table[:store.handle.Offset+store.handle.Length][store.handle.Offset:]
					for range flips {
						bit := rng.IntN(8 * last)
						filter[len(filter)-1-bit/8] ^= 1 << (bit % 8)
					}
					if bytes.Equal(filter, store.filter()) {
						continue
					}
					_, caught := store.lookUp(t, table, 1)
					require.Equal(t, 1, caught, "the checksum does not fit")
					store.seal(table)
					denied, caught := store.lookUp(t, table, len(store.keys))
					require.Zero(t, caught)
					t.Logf("%d bits in the last %d bytes: %d keys of %d denied", flips, last, denied, len(store.keys))
				}
			}
			denied, caught := store.lookUp(t, store.table, len(store.keys))
			require.Zero(t, denied+caught, "the table is intact")
		})
	}
}

// filteredTable is a store with one table, which has one filter.
type filteredTable struct {
	fs     *vfs.MemFS
	name   string
	table  []byte // the file's bytes
	handle block.Handle
	keys   ledger
}

func newFilteredTable(t *testing.T, plan string) *filteredTable {
	s := &filteredTable{fs: vfs.NewMem(), keys: make(ledger, 1000)}
	opts := s.options()
	storetest.Apply(opts, storetest.ParsePlan(t, plan))
	db := storetest.Open(t, "", opts)
	for i := range s.keys {
		require.NoError(t, s.keys.Write(db, i, pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())

	names, err := s.fs.List("")
	require.NoError(t, err)
	for _, name := range names {
		if filepath.Ext(name) == ".sst" {
			require.Empty(t, s.name)
			s.name = name
		}
	}
	file, err := s.fs.Open(s.name)
	require.NoError(t, err)
	s.table, err = io.ReadAll(file)
	require.NoError(t, err)
	readable, err := sstable.NewSimpleReadable(file)
	require.NoError(t, err)
	reader, err := sstable.NewReader(context.Background(), readable, sstable.ReaderOptions{})
	require.NoError(t, err)
	layout, err := reader.Layout()
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	require.Len(t, layout.Filter, 1)
	s.handle = layout.Filter[0].Handle
	return s
}

func (s *filteredTable) options() *pebble.Options {
	return &pebble.Options{FS: s.fs, Logger: storetest.QuietLogger{}, DisableAutomaticCompactions: true}
}

// filter returns the bytes of the intact filter.
func (s *filteredTable) filter() []byte {
	return s.table[s.handle.Offset : s.handle.Offset+s.handle.Length]
}

// seal makes the checksum of a table's filter fit.
func (s *filteredTable) seal(table []byte) {
	end := s.handle.Offset + s.handle.Length
	var sum block.Checksummer
	sum.Init(block.ChecksumTypeCRC32c)
	kind := table[end]
	trailer := block.MakeTrailer(kind, sum.Checksum(table[s.handle.Offset:end], kind))
	copy(table[end:], trailer[:])
}

// lookUp looks up the first n keys in a store with that table. It returns how
// many lookups denied a key that is there, and how many Pebble's checksums
// failed, which takes long: they look for the bit that flipped.
func (s *filteredTable) lookUp(t *testing.T, table []byte, n int) (denied, caught int) {
	file, err := s.fs.Create(s.name, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = file.Write(table)
	require.NoError(t, err)
	require.NoError(t, file.Close())

	opts := s.options()
	opts.ReadOnly = true
	opts.EventListener = &pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}} // by default it ends the process
	policy := &countingPolicy{FilterPolicy: filterpolicy.Bloom(10)}
	opts.Filters = map[string]pebble.FilterPolicy{policy.Name(): policy}
	db := storetest.Open(t, "", opts)
	defer func() { require.NoError(t, db.Close()) }()
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
	for i := range n {
		value, err := lookUpIn(r, s.keys.Key(i))
		if pebble.IsCorruptionError(err) {
			caught++
			continue
		}
		require.NoError(t, err)
		if value == nil {
			denied++
			continue
		}
		require.NoError(t, s.keys.Judge(i, value, 1, 1))
	}
	if caught == 0 {
		require.EqualValues(t, n, policy.Asked.Load())
	}
	return denied, caught
}

// TestEmptyFilterBlocks: a filter that verify=true rejects becomes a block of
// no bytes, in which readers find every key.
func TestEmptyFilterBlocks(t *testing.T) {
	policy := emptyPolicy{&countingPolicy{FilterPolicy: filterpolicy.Bloom(10)}}
	opts := storetest.Options(vfs.NewMem(), policy)
	opts.Filters[policy.Name()] = policy
	db := storetest.Open(t, "", opts)
	defer func() { require.NoError(t, db.Close()) }()
	for _, key := range storetest.Fill(t, db, 500, 10) {
		value, err := lookUpIn(pebbleext.ReaderOf(db, nil, pebbleext.Options{}), key)
		require.NoError(t, err)
		require.NotNil(t, value)
	}
	require.Positive(t, policy.Asked.Load())
}

// emptyPolicy writes blocks of no bytes.
type emptyPolicy struct{ *countingPolicy }

func (emptyPolicy) NewWriter(pebble.FilterType) pebble.FilterWriter { return emptyWriter{} }

type emptyWriter struct{}

func (emptyWriter) AddKey([]byte)            {}
func (emptyWriter) Finish(dst []byte) []byte { return dst }
