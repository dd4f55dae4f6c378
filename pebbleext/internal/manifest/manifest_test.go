package manifest

import (
	"bytes"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// newManifest returns the MANIFEST of a small store.
func newManifest(t testing.TB) []byte {
	fs := vfs.NewMem()
	db := storetest.Open(t, "db", storetest.Options(fs, nil))
	require.NoError(t, db.Set([]byte("a"), nil, nil))
	require.NoError(t, db.RangeKeySet([]byte("a"), []byte("b"), nil, []byte("v"), nil))
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
	desc, err := pebble.Peek("db", fs)
	require.NoError(t, err)
	file, err := fs.Open(desc.ManifestFilename)
	require.NoError(t, err)
	text, err := io.ReadAll(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return text
}

// TestTorn cuts a MANIFEST, as a crash does.
func TestTorn(t *testing.T) {
	text := newManifest(t)
	for n := range text {
		require.NoError(t, Mark(bytes.NewReader(text[:n]), io.Discard, nil))
	}
}

func FuzzMark(f *testing.F) {
	for r := record.NewReader(bytes.NewReader(newManifest(f)), 0); ; {
		edit, err := nextRecord(r)
		if err == io.EOF {
			break
		}
		f.Add(edit)
	}
	f.Fuzz(func(t *testing.T, edit []byte) {
		m := editMarker{editReader: editReader{rest: edit}, marked: map[uint64]bool{4: true, 7: true}}
		m.copyFields()
		if m.err != nil {
			return
		}
		// What was written can be read, and has the same marks.
		again := editMarker{editReader: editReader{rest: m.out}, marked: m.marked}
		again.copyFields()
		require.NoError(t, again.err)
		require.Equal(t, m.out, again.out)
	})
}
