package storetest

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
)

// Ingest ingests a table of random keys of a range. With excise, what the range
// had before is gone, and tables that reach into it become virtual ones.
func (h *History) Ingest(excise bool) {
	start, end := h.Span()
	paths := h.writeTable(start, end)
	if !excise {
		if len(paths) > 0 {
			require.NoError(h.T, h.DB.Ingest(context.Background(), paths))
		}
		return
	}
	h.CloseReaders() // snapshots would wait, or fail
	_, err := h.DB.IngestAndExcise(context.Background(), paths, nil, nil, pebble.KeyRange{Start: start, End: end})
	require.NoError(h.T, err)
	h.OpenReaders()
}

// writeTable writes some keys of a range, and returns the path of their table
// if there are any.
func (h *History) writeTable(start, end []byte) []string {
	h.tables++
	path := fmt.Sprintf("ingested-%d", h.tables)
	file, err := h.Opts.FS.Create(path, vfs.WriteCategoryUnspecified)
	require.NoError(h.T, err)
	opts := h.Opts.Clone()
	opts.EnsureDefaults()
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(file), opts.MakeWriterOptions(0, h.DB.TableFormat()))
	n := 0
	for i, key := range h.Keys.Keys {
		compare := h.Keys.Comparer.Compare
		if i%3 == 0 || compare(key, start) < 0 || compare(key, end) >= 0 || h.Rand.IntN(2) == 0 {
			continue
		}
		h.Sets[string(key)] += 2 // it may have been set before
		require.NoError(h.T, w.Set(key, h.value()))
		n++
	}
	require.NoError(h.T, w.Close())
	if n == 0 {
		return nil
	}
	return []string{path}
}

// Reopen opens the store with another plan.
func (h *History) Reopen(plan pebbleext.Plan) {
	h.Close()
	Apply(h.Opts, plan)
	h.DB = Open(h.T, "", h.Opts)
	h.OpenReaders()
}
