package inspect

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// Families beside Gravel's own.
const (
	None        = "none"
	PebbleBloom = "pebble-bloom"
	// Unreadable is blocks of Gravel's name that no family here wrote.
	Unreadable = "unreadable"
)

// table is the filters of one.
type table struct {
	family string
	// keys are those of the filter block if it says so, otherwise the point
	// entries that the table's properties count.
	keys   int64
	block  []byte
	policy pebble.FilterPolicy // that asks the block; nil if it is unknown here
	named  bool                // see resident.Named
	// writtenFor is the level that the block was written for, -1 if unknown.
	writtenFor int
	// dataBlocks are the index filters, nil for a data block without one; nil
	// for a table that was written without.
	dataBlocks [][]byte
}

// readTable reads the filters of a table, which comes with its properties.
func (s *Store) readTable(ctx context.Context, info pebble.SSTableInfo) (table, error) {
	p := info.Properties
	f := table{family: None, writtenFor: -1, keys: int64(p.NumEntries - p.NumRangeDeletions), named: resident.Named(p.UserProperties)}
	read, err := ondisk.ReadFilters(ctx, s.db, s.reading, uint64(info.BackingSSTNum))
	if err != nil {
		return f, err
	}
	if indexfilter.TableBits(p.UserProperties, s.reading.Comparer) > 0 {
		id := p.UserProperties[indexfilter.PropertyName(s.reading.Comparer)][0]
		f.dataBlocks = make([][]byte, len(read.DataBlocks))
		for i, properties := range read.DataBlocks {
			f.dataBlocks[i] = ondisk.BlockProperty(properties, id)
		}
	}
	if f.block = read.Block; len(f.block) > 0 {
		f.identify(read.Policy)
	}
	return f, nil
}

func (f *table) identify(policy string) {
	switch policy {
	case filterpolicy.Name:
		f.family, f.policy = Unreadable, filterpolicy.Bloom(10)
		if info, err := blockfilter.Describe(f.block); err == nil {
			f.family, f.keys, f.writtenFor = info.Family, int64(info.Keys), info.Level
		}
	case pebbleBloom.Name():
		f.family, f.policy = PebbleBloom, pebbleBloom
	default:
		f.family = policy
	}
}

// pebbleBloom asks blocks of any size.
var pebbleBloom = bloom.FilterPolicy(10)

// pebbleTrailer is the end of a block of Pebble's Bloom filter: the number of
// probes, one byte, and of lines, four.
const pebbleTrailer = 5

func (f *table) pebbleProbes() int {
	if len(f.block) < pebbleTrailer {
		return 0
	}
	return int(f.block[len(f.block)-pebbleTrailer])
}

// positives asks the block for random keys, which no table has, and counts
// those that pass.
func (f *table) positives(queries int, random *rand.Rand) (n int64) {
	for range queries {
		if f.policy.MayContain(pebble.TableFilter, f.block, absentKey(random)) {
			n++
		}
	}
	return n
}

// absentKey returns a key that no table has.
func absentKey(random *rand.Rand) []byte {
	key := binary.LittleEndian.AppendUint64(make([]byte, 0, 16), random.Uint64())
	return binary.LittleEndian.AppendUint64(key, random.Uint64())
}
