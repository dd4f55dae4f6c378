package ondisk

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// WithTable opens the file of a table of an open store, as long as do takes.
// The error is fs.ErrNotExist, among others, if the store has removed the file.
func WithTable(ctx context.Context, db *pebble.DB, opts *pebble.Options, number uint64,
	do func(objstorage.Readable, *sstable.Reader) error) (err error) {
	var file objstorage.ObjectMetadata // whose types are internal to Pebble
	assign(&file.FileType, fileTypeTable)
	assign(&file.DiskFileNum, number)
	objects := db.ObjProvider()
	defer func() {
		if err != nil && isGone(objects, file, err) {
			err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
		}
	}()
	readable, err := objects.OpenForReading(ctx, file.FileType, file.DiskFileNum, objstorage.OpenOptions{})
	if err != nil {
		return err
	}
	if known, err := objects.Lookup(file.FileType, file.DiskFileNum); err == nil && known.IsRemote() {
		readable = newEnding(ctx, readable)
	}
	r, err := sstable.NewReader(ctx, readable, opts.MakeReaderOptions())
	if err != nil {
		return err // the reader closed the file
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return do(readable, r)
}

// isGone reports whether a file could not be read because the store has removed
// it. Each object storage has an error of its own for that.
func isGone(objects objstorage.Provider, file objstorage.ObjectMetadata, err error) bool {
	known, unknown := objects.Lookup(file.FileType, file.DiskFileNum)
	return unknown != nil || known.IsRemote() && known.Remote.Storage.IsNotExistError(err)
}

// fileTypeTable is Pebble's number for tables among its files.
const fileTypeTable = 2

func assign[N ~int | ~uint64](to *N, n uint64) { *to = N(n) }

// Filters are those of a table.
type Filters struct {
	Policy string // the name of the policy that wrote Block
	Block  []byte // nil if the table has no filter block
	// DataBlocks has the properties of each data block, see BlockProperty.
	DataBlocks [][]byte
	IndexBytes int // that were read to find them
}

// filterBlocks begins the names of filter blocks, which policies' names end.
const filterBlocks = "fullfilter."

// ReadFilters reads the filter block and the indexes in a table's file.
func ReadFilters(ctx context.Context, db *pebble.DB, opts *pebble.Options, number uint64) (f Filters, err error) {
	err = WithTable(ctx, db, opts, number, func(file objstorage.Readable, r *sstable.Reader) error {
		layout, err := r.Layout()
		if err != nil {
			return err
		}
		for _, index := range layout.Index {
			f.IndexBytes += int(index.Length)
		}
		for _, block := range layout.Data {
			f.DataBlocks = append(f.DataBlocks, block.Props)
		}
		if len(layout.Filter) == 0 || layout.Filter[0].Length == 0 {
			return nil
		}
		handle := layout.Filter[0] // Pebble writes filter blocks uncompressed
		f.Policy = strings.TrimPrefix(handle.Name, filterBlocks)
		f.Block = make([]byte, handle.Length)
		return file.ReadAt(ctx, f.Block, int64(handle.Offset))
	})
	return f, err
}

// BlockProperty returns one of a data block's properties, nil if the block
// lacks it or the bytes are damaged. The ID of a property is the first byte of
// the table's own property of that name.
func BlockProperty(properties []byte, id byte) []byte {
	for len(properties) > 0 { // an ID, a length, and so many bytes
		length, n := binary.Uvarint(properties[1:])
		if n <= 0 || length > uint64(len(properties)-1-n) {
			return nil
		}
		property, rest := properties[1+n:][:length], properties[1+n:][length:]
		if properties[0] == id {
			return property
		}
		properties = rest
	}
	return nil
}
