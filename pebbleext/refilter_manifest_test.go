package pebbleext

import (
	"bytes"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// manifestOf returns the MANIFEST of a store with tables of every kind, and the
// tables that Pebble finds in it.
func manifestOf(t testing.TB, fs vfs.FS, opts *pebble.Options) ([]byte, []liveTable) {
	opts = opts.Clone()
	opts.ReadOnly = true
	db := openStore(t, "db", opts)
	levels, err := db.SSTables()
	require.NoError(t, err)
	require.NoError(t, db.Close())
	var tables []liveTable
	for level, infos := range levels {
		for _, info := range infos {
			tables = append(tables, liveTable{level, uint64(info.FileNum), info.Size, uint64(info.BackingSSTNum)})
		}
	}
	desc, err := pebble.Peek("db", fs)
	require.NoError(t, err)
	manifest, err := readFile(fs, desc.ManifestFilename)
	require.NoError(t, err)
	return manifest, tables
}

// TestMarkManifest compares what is read from a MANIFEST with what Pebble reads
// from it, and lets Pebble count the marks.
func TestMarkManifest(t *testing.T) {
	for name, keys := range keySpaces() {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			s := newOldStore(t, fs, "db", keys, bloom.FilterPolicy(10), false, 7)
			manifest, want := manifestOf(t, fs, s.opts)
			got, err := readManifest(bytes.NewReader(manifest))
			require.NoError(t, err)
			require.ElementsMatch(t, want, got)
			virtual := 0
			marked := map[uint64]bool{}
			for _, table := range got {
				if table.backing != table.number {
					virtual++
				}
				marked[table.number] = true
			}
			require.Positive(t, virtual)

			require.Equal(t, len(got), s.marksSeen(t, fs, marked))
			require.Equal(t, 1, s.marksSeen(t, fs, map[uint64]bool{got[0].number: true}))
			require.Zero(t, s.marksSeen(t, fs, map[uint64]bool{}))

			var marks, cleared bytes.Buffer
			_, err = markManifest(bytes.NewReader(manifest), &marks, marked)
			require.NoError(t, err)
			require.Greater(t, marks.Len(), len(manifest))
			_, err = markManifest(&marks, &cleared, nil)
			require.NoError(t, err)
			again, err := readManifest(&cleared)
			require.NoError(t, err)
			require.Equal(t, got, again)
		})
	}
}

func (s *oldStore) marksSeen(t *testing.T, fs vfs.FS, marked map[uint64]bool) int {
	opts := s.opts.Clone()
	opts.ReadOnly = true
	opts.FS = &refilterFS{FS: fs, marked: marked}
	db := openStore(t, "db", opts)
	defer func() { require.NoError(t, db.Close()) }()
	return db.Metrics().Compact.MarkedFiles
}

// TestTornManifest cuts a MANIFEST, as a crash does.
func TestTornManifest(t *testing.T) {
	fs := vfs.NewMem()
	s := newOldStore(t, fs, "db", keySpaces()["whole keys"], nil, true, 8)
	manifest, _ := manifestOf(t, fs, s.opts)
	for n := 0; n < len(manifest); n += 7 {
		_, err := readManifest(bytes.NewReader(manifest[:n]))
		require.NoError(t, err)
	}
}

func FuzzMarkEdit(f *testing.F) {
	fs := vfs.NewMem()
	opts := storeOptions(fs, nil)
	db := openStore(f, "db", opts)
	require.NoError(f, db.Set([]byte("a"), nil, nil))
	require.NoError(f, db.RangeKeySet([]byte("a"), []byte("b"), nil, []byte("v"), nil))
	require.NoError(f, db.Flush())
	require.NoError(f, db.Close())
	manifest, _ := manifestOf(f, fs, opts)
	for r := record.NewReader(bytes.NewReader(manifest), 0); ; {
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
		// What was written can be read, and leads to the same tables.
		again := editMarker{editReader: editReader{rest: m.out}, marked: m.marked}
		again.copyFields()
		require.NoError(t, again.err)
		require.Equal(t, m.added, again.added)
		require.Equal(t, m.deleted, again.deleted)
		require.Equal(t, m.out, again.out)
	})
}
