package diskio

import (
	"cmp"
	"slices"

	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
)

// Object knows where the blocks of a table in object storage are.
type Object struct{ blocks []objectBlock }

type objectBlock struct {
	first, last int64 // last is not in it
	kind        kind
}

// NewObject returns the Object of a layout.
func NewObject(l *sstable.Layout) (o Object) {
	eachBlock(l, func(h block.Handle, k kind) {
		o.blocks = append(o.blocks, objectBlock{int64(h.Offset), int64(h.Offset + h.Length + block.TrailerLen), k})
	})
	slices.SortFunc(o.blocks, func(a, b objectBlock) int { return cmp.Compare(a.first, b.first) })
	return o
}

// EndSize is the size of a table's end with all that Pebble reads to open it, as
// Pebble guesses it.
const EndSize = int64(objstorage.ReadBeforeForNewReader)

// Count counts a read of bytes from first on, before last, of so many in all.
//
// Beside a table's end, Pebble reads one block, one and what is before it (an
// index), or one and what is behind it (data, in sequence): the block whose end is
// the read's is the one that it wants, else the one at its start.
func (o Object) Count(counts *Blocks, first, last, size int64) {
	read := Count{1, last - first}
	switch o.kind(first, last, size) {
	case dataBlock:
		counts.Data = counts.Data.Add(read)
	case indexBlock:
		counts.Index = counts.Index.Add(read)
	case filterBlock:
		counts.Filter = counts.Filter.Add(read)
	default:
		counts.Other = counts.Other.Add(read)
	}
}

func (o Object) kind(first, last, size int64) kind {
	if last == size && first == max(0, size-EndSize) {
		return otherBlock
	}
	byLast := func(b objectBlock, last int64) int { return cmp.Compare(b.last, last) }
	if i, found := slices.BinarySearchFunc(o.blocks, last, byLast); found {
		return o.blocks[i].kind
	}
	byFirst := func(b objectBlock, first int64) int { return cmp.Compare(b.first, first) }
	i, found := slices.BinarySearchFunc(o.blocks, first, byFirst)
	switch {
	case found:
		return o.blocks[i].kind
	case i > 0:
		return o.blocks[i-1].kind // a part of a block, with a secondary cache
	}
	return otherBlock
}
