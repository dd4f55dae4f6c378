package ondisk

import (
	"bytes"
	"io"
	"math"
	"testing"

	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

func TestEndingReadsWhatThereIs(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	size := int64(len(content))
	var table objstorage.Readable
	table, err := sstable.NewSimpleReadable(vfs.NewMemFile(content))
	require.NoError(t, err)
	for _, read := range []struct {
		offset, length int64
		fails          bool
	}{
		{0, 16, false},
		{size - 16, 16, false},
		{size - 100_000, 16, false},
		{size, 0, false},
		{0, size, false},
		{size - 15, 16, true},
		{size, 1, true},
		{size + 1, 0, true},
		{-1, 16, true},
		{math.MinInt64, 16, true},
		{math.MaxInt64, 16, true},
	} {
		e := newEnding(t.Context(), table)
		p := make([]byte, read.length)
		err := e.ReadAt(t.Context(), p, read.offset)
		if read.fails {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%+v", read)
			continue
		}
		require.NoError(t, err, "%+v", read)
		require.Equal(t, content[read.offset:][:read.length], p, "%+v", read)
	}
}
