package replay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// maxSampled bounds the tables that Sample reads, in bytes: in a larger store it
// draws tables first.
const maxSampled = 4 << 30

// Sample draws keys from the tables of a store, evenly by bytes. It makes a share
// of them absent: it changes a byte of the key so that the store lacks the result,
// which still lies within a table. The order is random.
func (v *View) Sample(ctx context.Context, n int, absent float64, seed uint64) (keys [][]byte, err error) {
	s := &sampler{View: v, random: rand.New(rand.NewPCG(seed, 0))}
	if err := s.present(ctx, slices.Concat(v.levels...), n); err != nil {
		return nil, err
	}
	if len(s.keys) == 0 {
		return nil, errors.New("the store has no keys to draw")
	}
	s.random.Shuffle(len(s.keys), func(i, j int) { s.keys[i], s.keys[j] = s.keys[j], s.keys[i] })
	for i := range s.keys {
		if s.random.Float64() < absent {
			if s.keys[i], err = s.absent(s.keys[i]); err != nil {
				return nil, err
			}
		}
	}
	return s.keys, nil
}

type sampler struct {
	*View
	random *rand.Rand
	keys   [][]byte
}

// present draws keys.
func (s *sampler) present(ctx context.Context, tables []pebble.SSTableInfo, n int) error {
	s.random.Shuffle(len(tables), func(i, j int) { tables[i], tables[j] = tables[j], tables[i] })
	sum, used := uint64(0), 0
	for used < len(tables) && sum < maxSampled {
		sum += tables[used].Size
		used++
	}
	if sum == 0 {
		return errors.New("the store has no tables to draw keys from")
	}
	draws := s.sorted(n, sum)
	end := uint64(0)
	for _, t := range tables[:used] {
		if err := ctx.Err(); err != nil {
			return err
		}
		end += t.Size
		picked, _ := slices.BinarySearch(draws, end)
		if picked > 0 {
			if err := s.draw(t, picked); err != nil {
				return fmt.Errorf("table %s: %w", t.FileNum, err)
			}
		}
		draws = draws[picked:]
	}
	return nil
}

// sorted draws numbers below a bound, in order.
func (s *sampler) sorted(n int, bound uint64) []uint64 {
	draws := make([]uint64, n)
	for i := range draws {
		draws[i] = s.random.Uint64N(bound)
	}
	slices.Sort(draws)
	return draws
}

// sets are the kinds of a key that is there.
var sets = []pebble.InternalKeyKind{sstable.InternalKeyKindSet, sstable.InternalKeyKindSetWithDelete, sstable.InternalKeyKindMerge}

// draw draws keys of a table.
func (s *sampler) draw(t pebble.SSTableInfo, n int) (err error) {
	r, err := s.open(t)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	draws := s.sorted(n, max(t.Properties.RawKeySize+t.Properties.RawValueSize, 1))
	at := uint64(0)
	for kv := r.iter.First(); kv != nil && len(draws) > 0; kv = r.iter.Next() {
		at += uint64(kv.K.Size() + kv.V.Len())
		if !slices.Contains(sets, kv.K.Kind()) || len(kv.K.UserKey) == 0 {
			continue // of an empty key no byte can change
		}
		for len(draws) > 0 && draws[0] < at {
			s.keys = append(s.keys, slices.Clone(kv.K.UserKey))
			draws = draws[1:]
		}
	}
	return r.iter.Error()
}

// maxChanges is after how many changed bytes a key is given up.
const maxChanges = 1000

// absent changes a byte in the prefix of a key.
func (s *sampler) absent(key []byte) ([]byte, error) {
	prefix := s.comparer.Split(key)
	if prefix < len(key) {
		prefix-- // what ends a prefix
	}
	for range maxChanges {
		changed := slices.Clone(key)
		changed[s.random.IntN(max(prefix, 1))] = byte(s.random.UintN(256))
		if s.comparer.ValidateKey.Validate(changed) != nil || !s.within(changed) {
			continue
		}
		if has, err := s.has(changed); !has {
			return changed, err
		}
	}
	return nil, fmt.Errorf("%.60q: no byte of it makes an absent key that is within a table", key)
}

// within reports whether a key is within the bounds of a table of the lowest
// level.
func (s *sampler) within(key []byte) bool {
	for _, tables := range slices.Backward(s.levels) {
		if len(tables) == 0 {
			continue
		}
		return slices.ContainsFunc(tables, func(t pebble.SSTableInfo) bool {
			return s.comparer.Compare(t.Smallest.UserKey, key) <= 0 && s.comparer.Compare(key, t.Largest.UserKey) <= 0
		})
	}
	return false
}
