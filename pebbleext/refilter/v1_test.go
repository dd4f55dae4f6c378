package refilter

import (
	"fmt"
	"path/filepath"
	"testing"

	pebblev1 "github.com/cockroachdb/pebble"
	bloomv1 "github.com/cockroachdb/pebble/bloom"
	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestStoresOfPebble1 refilters stores that Pebble 1 wrote and can still read
// afterwards.
func TestStoresOfPebble1(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables))
	for name, policy := range map[string]pebblev1.FilterPolicy{"none": nil, "bloom": bloomv1.FilterPolicy(10)} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			const keys = 30_000
			key := func(i int) []byte { return fmt.Appendf(nil, "key%06d", i) }
			v1 := &pebblev1.Options{FormatMajorVersion: pebblev1.FormatNewest, Logger: storetest.QuietLogger{}}
			for range 7 {
				v1.Levels = append(v1.Levels, pebblev1.LevelOptions{FilterPolicy: policy, TargetFileSize: 64 << 10})
			}
			old, err := pebblev1.Open(dir, v1)
			require.NoError(t, err)
			for i := range keys {
				require.NoError(t, old.Set(key(i), key(i), pebblev1.NoSync))
			}
			require.NoError(t, old.Flush())
			require.NoError(t, old.Compact(key(0), key(keys), false))
			require.NoError(t, old.Set(key(0), key(0), pebblev1.Sync)) // in the log
			require.NoError(t, old.Close())

			opts := &pebble.Options{FormatMajorVersion: pebble.FormatMajorVersion(pebblev1.FormatNewest), Logger: storetest.QuietLogger{}}
			plan := storetest.ParsePlan(t, "bloom:10")
			report, err := Run(t.Context(), dir, opts, plan, Settings{})
			require.NoError(t, err)
			require.Greater(t, report.Done, 3)
			again, err := Run(t.Context(), dir, opts, plan, Settings{})
			require.NoError(t, err)
			require.Zero(t, again.Pending)

			setup := pebbleext.Apply(opts, pebbleext.Options{Plan: plan})
			db := storetest.Open(t, dir, opts)
			reader, err := setup.NewReader(db)
			require.NoError(t, err)
			for i := range keys {
				value, err := storetest.Get(t, reader, key(i))
				require.NoError(t, err)
				require.Equal(t, key(i), value)
			}
			require.Greater(t, storetest.Queries(db, func() {
				for i := range keys {
					found, err := reader.Has(append(key(i), 'x'))
					require.NoError(t, err)
					require.False(t, found)
				}
			}), int64(keys*9/10)) // some keys lie between tables
			require.NoError(t, db.Close())
			old, err = pebblev1.Open(dir, v1)
			require.NoError(t, err)
			for i := range keys {
				value, err := storetest.Get(t, old, key(i))
				require.NoError(t, err)
				require.Equal(t, key(i), value)
			}
			require.NoError(t, old.Close())
		})
	}
}
