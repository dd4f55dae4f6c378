package ondisk

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// Filter is the filter block of a table.
type Filter struct {
	Policy string // the name of the policy that wrote it
	Block  []byte // nil if the table has none
}

// filterBlocks begins the names of filter blocks, which policies' names end.
const filterBlocks = "fullfilter."

// ReadFilter reads the filter of a table in the directory of its store, and its
// indexes on the way to it.
func ReadFilter(ctx context.Context, dir string, opts *pebble.Options, t pebble.SSTableInfo) (f Filter, err error) {
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
	if err != nil || len(layout.Filter) == 0 || layout.Filter[0].Length == 0 {
		return f, err
	}
	handle := layout.Filter[0] // Pebble writes filter blocks uncompressed
	f.Policy = strings.TrimPrefix(handle.Name, filterBlocks)
	f.Block = make([]byte, handle.Length)
	return f, readable.ReadAt(ctx, f.Block, int64(handle.Offset))
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
