package store

import (
	"bytes"
	"errors"
	"fmt"
	"sort"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Description is a store as it was loaded with one policy.
type Description struct {
	Policy      string  `json:"policy"`
	Levels      []Level `json:"levels"`
	Bytes       int64   `json:"bytes"`
	LoadSeconds float64 `json:"load_seconds"`
	// Filters sums the blocks of the store's tables.
	Filters Filters `json:"filters"`
}

// Level is the tables of one level.
type Level struct {
	Level       int   `json:"level"`
	Tables      int   `json:"tables"`
	Keys        int64 `json:"keys"`
	Bytes       int64 `json:"bytes"`
	FilterBytes int64 `json:"filter_bytes"`
}

// Filters is the size of a store's filter blocks and the cost of building them.
type Filters struct {
	Bytes        int64   `json:"bytes"`
	LargestBlock int64   `json:"largest_block"`
	BitsPerKey   float64 `json:"bits_per_key"`
	// Build covers every block built during the load, also those of tables
	// that a compaction has replaced since.
	Build BuildCost `json:"build"`
}

// tables lists the store's tables by level.
func (s *Store) tables() ([][]pebble.SSTableInfo, error) {
	db, err := s.Open(View{Dir: s.Dir, FS: vfs.Default})
	if err != nil {
		return nil, err
	}
	tables, err := db.SSTables(pebble.WithProperties())
	return tables, errors.Join(err, db.Close())
}

// Describe returns the store's shape and filters.
func (s *Store) Describe() (Description, error) {
	levels, err := s.tables()
	if err != nil {
		return Description{}, err
	}
	d := Description{Policy: s.Policy.Text, Levels: []Level{}, LoadSeconds: s.seconds}
	d.Filters.Build = s.truth.Built()
	filteredKeys, all := int64(0), 0
	for i, tables := range levels {
		if len(tables) == 0 {
			continue
		}
		level := Level{Level: i, Tables: len(tables)}
		all += len(tables)
		for _, t := range tables {
			filter := int64(t.Properties.FilterSize)
			level.Keys += int64(t.Properties.NumEntries)
			level.Bytes += int64(t.Size)
			level.FilterBytes += filter
			d.Filters.LargestBlock = max(d.Filters.LargestBlock, filter)
			if filter > 0 {
				filteredKeys += int64(t.Properties.NumEntries)
			}
		}
		d.Bytes += level.Bytes
		d.Filters.Bytes += level.FilterBytes
		d.Levels = append(d.Levels, level)
	}
	d.Filters.BitsPerKey = 8 * float64(d.Filters.Bytes) / float64(max(filteredKeys, 1))
	return d, nil
}

// Within returns a function that tells whether a key is inside the bounds of a
// table of the lowest level, so that a lookup cannot end above the tables.
func (s *Store) Within() (func(key []byte) bool, error) { return s.within() }

func (s *Store) withinBottom() (func(key []byte) bool, error) {
	levels, err := s.tables()
	if err != nil {
		return nil, err
	}
	bottom := levels[len(levels)-1]
	if len(bottom) == 0 {
		return nil, fmt.Errorf("no table in L%d", len(levels)-1)
	}
	return func(key []byte) bool {
		i := sort.Search(len(bottom), func(i int) bool { return bytes.Compare(key, bottom[i].Largest.UserKey) <= 0 })
		return i < len(bottom) && bytes.Compare(bottom[i].Smallest.UserKey, key) <= 0
	}, nil
}
