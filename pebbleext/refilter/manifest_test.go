package refilter

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/internal/manifest"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// manifestOf returns the MANIFEST of a store with tables of every kind, and the
// tables that Pebble finds in it.
func manifestOf(t testing.TB, fs vfs.FS, opts *pebble.Options) ([]byte, []manifest.Table) {
	opts = opts.Clone()
	opts.ReadOnly = true
	db := storetest.Open(t, "db", opts)
	levels, err := db.SSTables()
	require.NoError(t, err)
	require.NoError(t, db.Close())
	var tables []manifest.Table
	for level, infos := range levels {
		for _, info := range infos {
			tables = append(tables, manifest.Table{Level: level, Number: uint64(info.FileNum), Size: info.Size, Backing: uint64(info.BackingSSTNum)})
		}
	}
	desc, err := pebble.Peek("db", fs)
	require.NoError(t, err)
	text, err := readFile(fs, desc.ManifestFilename)
	require.NoError(t, err)
	return text, tables
}

// TestMarkManifest compares what is read from a MANIFEST with what Pebble reads
// from it, and lets Pebble count the marks.
func TestMarkManifest(t *testing.T) {
	for name, keys := range storetest.KeySpaces() {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			s := newOldStore(t, fs, "db", keys, bloom.FilterPolicy(10), false, 7)
			text, want := manifestOf(t, fs, s.opts)
			got, err := manifest.Read(bytes.NewReader(text))
			require.NoError(t, err)
			require.ElementsMatch(t, want, got)
			virtual := 0
			marked := map[uint64]bool{}
			for _, table := range got {
				if table.Backing != table.Number {
					virtual++
				}
				marked[table.Number] = true
			}
			require.Positive(t, virtual)

			require.Equal(t, len(got), s.marksSeen(t, fs, marked))
			require.Equal(t, 1, s.marksSeen(t, fs, map[uint64]bool{got[0].Number: true}))
			require.Zero(t, s.marksSeen(t, fs, map[uint64]bool{}))

			var marks, cleared bytes.Buffer
			_, err = manifest.Mark(bytes.NewReader(text), &marks, marked)
			require.NoError(t, err)
			require.Greater(t, marks.Len(), len(text))
			_, err = manifest.Mark(&marks, &cleared, nil)
			require.NoError(t, err)
			again, err := manifest.Read(&cleared)
			require.NoError(t, err)
			require.Equal(t, got, again)
		})
	}
}

func (s *oldStore) marksSeen(t *testing.T, fs vfs.FS, marked map[uint64]bool) int {
	opts := s.opts.Clone()
	opts.ReadOnly = true
	opts.FS = &storeFS{FS: fs, marked: marked}
	db := storetest.Open(t, "db", opts)
	defer func() { require.NoError(t, db.Close()) }()
	return db.Metrics().Compact.MarkedFiles
}
