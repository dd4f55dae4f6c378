package ondisk

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// Filters is where the filters of a table are.
type Filters struct {
	Policy string // the name of the policy that wrote Block
	Block  []byte // nil if the table has no filter block
	// DataBlocks has the properties of each data block, see BlockProperty.
	DataBlocks [][]byte
}

// filterBlocks begins the names of filter blocks, which policies' names end.
const filterBlocks = "fullfilter."

// ReadFilters reads the filter block and the indexes of a table in the
// directory of its store.
func ReadFilters(ctx context.Context, dir string, opts *pebble.Options, t pebble.SSTableInfo) (f Filters, err error) {
	if t.BackingType != pebble.BackingTypeLocal {
		return f, fmt.Errorf("table %s is in shared or external storage", t.FileNum)
	}
	readable, err := openTable(dir, opts, t)
	if err != nil {
		return f, err
	}
	reader, err := sstable.NewReader(ctx, readable, opts.MakeReaderOptions())
	if err != nil {
		return f, err // the reader closed the file
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	layout, err := reader.Layout()
	if err != nil {
		return f, err
	}
	for _, block := range layout.Data {
		f.DataBlocks = append(f.DataBlocks, block.Props)
	}
	if len(layout.Filter) == 0 || layout.Filter[0].Length == 0 {
		return f, nil
	}
	handle := layout.Filter[0] // Pebble writes filter blocks uncompressed
	f.Policy = strings.TrimPrefix(handle.Name, filterBlocks)
	f.Block = make([]byte, handle.Length)
	return f, readable.ReadAt(ctx, f.Block, int64(handle.Offset))
}

// BlockProperty returns one of a data block's properties, nil if the block lacks
// it or the bytes are damaged. The ID of a property is the first byte of the
// table's own property of that name.
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

func openTable(dir string, opts *pebble.Options, t pebble.SSTableInfo) (objstorage.Readable, error) {
	file, err := opts.FS.Open(opts.FS.PathJoin(dir, fmt.Sprintf("%06d.sst", uint64(t.BackingSSTNum))))
	if err != nil {
		return nil, err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return readable, nil
}
