package inspect

import (
	"context"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// Families beside Gravel's own.
const (
	None        = "none"
	PebbleBloom = "pebble-bloom"
	// Unreadable is blocks of Gravel's name that no family here wrote.
	Unreadable = "unreadable"
)

// filter is the filter of one table.
type filter struct {
	family string
	// keys are those of the block if it says so, otherwise the point entries
	// that the table's properties count.
	keys   int64
	block  []byte
	policy pebble.FilterPolicy // that asks the block; nil if it is unknown here
	// writtenFor is the level that the block was written for, -1 if unknown.
	writtenFor int
}

// readFilter reads the filter of a table, which has its properties.
func (s *Store) readFilter(ctx context.Context, table pebble.SSTableInfo) (filter, error) {
	p := table.Properties
	f := filter{family: None, writtenFor: -1, keys: int64(p.NumEntries - p.NumRangeDeletions)}
	read, err := ondisk.ReadFilter(ctx, s.dir, s.options, table)
	if err != nil || len(read.Block) == 0 {
		return f, err
	}
	f.block = read.Block
	f.identify(read.Policy)
	return f, nil
}

func (f *filter) identify(policy string) {
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

func (f *filter) pebbleProbes() int {
	if len(f.block) < pebbleTrailer {
		return 0
	}
	return int(f.block[len(f.block)-pebbleTrailer])
}

// positives asks the block for random keys, which no table has, and counts
// those that pass.
func (f *filter) positives(probes int, random func() uint64) (n int64) {
	var key [16]byte
	for range probes {
		binary.LittleEndian.PutUint64(key[:], random())
		binary.LittleEndian.PutUint64(key[8:], random())
		if f.policy.MayContain(pebble.TableFilter, f.block, key[:]) {
			n++
		}
	}
	return n
}
