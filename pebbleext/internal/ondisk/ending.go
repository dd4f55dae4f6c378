package ondisk

import (
	"context"
	"io"

	"github.com/cockroachdb/pebble/v2/objstorage"
)

// ending is a table in object storage, of which only the end is read: the
// filter, the index, the properties. What was read stays in memory, from one
// offset to the end, so that it takes two or three requests, not one for each
// block.
//
// Its requests end with its context. Pebble reads the index without one.
type ending struct {
	objstorage.Readable
	ctx   context.Context
	first int64
	bytes []byte // from first to the end
}

const (
	// firstEnding is the footer, the list of blocks and the properties.
	firstEnding = objstorage.ReadBeforeForNewReader
	// moreEnding is the index of most tables.
	moreEnding = objstorage.ReadBeforeForIndexAndFilter
)

func newEnding(ctx context.Context, table objstorage.Readable) *ending {
	return &ending{Readable: table, ctx: ctx, first: table.Size()}
}

// ReadAt implements objstorage.Readable. A damaged table may ask for anything.
func (e *ending) ReadAt(_ context.Context, p []byte, offset int64) error {
	if offset < 0 || offset > e.Size()-int64(len(p)) {
		return io.ErrUnexpectedEOF
	}
	if err := e.extend(offset); err != nil {
		return err
	}
	copy(p, e.bytes[offset-e.first:])
	return nil
}

// extend makes the end in memory begin at or before an offset.
func (e *ending) extend(offset int64) error {
	if offset >= e.first {
		return nil
	}
	more := int64(moreEnding)
	if len(e.bytes) == 0 {
		more = firstEnding
	}
	first := max(0, min(offset, e.first-more))
	added := make([]byte, e.first-first)
	if err := e.Readable.ReadAt(e.ctx, added, first); err != nil {
		return err
	}
	e.first, e.bytes = first, append(added, e.bytes...)
	return nil
}

// NewReadHandle implements objstorage.Readable.
func (e *ending) NewReadHandle(objstorage.ReadBeforeSize) objstorage.ReadHandle {
	handle := objstorage.MakeNoopReadHandle(e)
	return &handle
}
