package refilter

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestMarks lets Pebble read marked copies of the MANIFEST of a store with
// tables of every kind, and count the marks.
func TestMarks(t *testing.T) {
	for name, keys := range storetest.KeySpaces() {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			s := newOldStore(t, fs, "db", keys, bloom.FilterPolicy(10), false, 7)
			survey := newSurvey("db", s.opts, pebbleext.Uniform(nil))
			_, err := survey.pending(t.Context())
			require.NoError(t, err)
			virtual := 0
			for _, table := range survey.tables {
				if table.backing != table.number {
					virtual++
				}
			}
			require.Positive(t, virtual)
			for _, marked := range [][]table{survey.tables, survey.tables[:1], nil} {
				opts := s.opts.Clone()
				opts.ReadOnly = true
				opts.FS = markingFS(fs, marked, nil)
				db := storetest.Open(t, "db", opts)
				require.Equal(t, len(marked), db.Metrics().Compact.MarkedFiles)
				require.NoError(t, db.Close())
			}
		})
	}
}
