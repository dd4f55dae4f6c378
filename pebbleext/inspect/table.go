package inspect

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/filterpolicy"
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

// readFilter reads a table's filter block.
func (s *Store) readFilter(ctx context.Context, table pebble.SSTableInfo) (f filter, err error) {
	name := filepath.Join(s.dir, fmt.Sprintf("%06d.sst", uint64(table.BackingSSTNum)))
	file, err := s.options.FS.Open(name)
	if err != nil {
		return f, err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return f, errors.Join(err, file.Close())
	}
	reader, err := sstable.NewReader(ctx, readable, s.options.MakeReaderOptions())
	if err != nil {
		return f, err // the reader closed the file
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	properties, err := reader.ReadPropertiesBlock(ctx, nil)
	if err != nil {
		return f, err
	}
	layout, err := reader.Layout()
	if err != nil {
		return f, err
	}
	f.family, f.writtenFor = None, -1
	f.keys = int64(properties.NumEntries - properties.NumRangeDeletions)
	if len(layout.Filter) == 0 || layout.Filter[0].Length == 0 {
		return f, nil
	}
	handle := layout.Filter[0] // Pebble writes filter blocks uncompressed
	f.block = make([]byte, handle.Length)
	if err := readable.ReadAt(ctx, f.block, int64(handle.Offset)); err != nil {
		return f, err
	}
	f.identify(strings.TrimPrefix(handle.Name, blockName))
	return f, nil
}

// blockName precedes the policy's name in that of a filter block.
const blockName = "fullfilter."

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
