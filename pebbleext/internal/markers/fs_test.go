package markers

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestSyncsFirst changes markers and crashes at once, on a disk that keeps what
// was synced and nothing else.
func TestSyncsFirst(t *testing.T) {
	const old, current, other = "marker.manifest.000001.a", "marker.manifest.000002.b", "000003.sst"
	for name, c := range map[string]struct {
		change func(FS) error
		synced bool
	}{
		"create marker": {func(fs FS) error { return create(fs, "marker.manifest.000003.c") }, true},
		"remove marker": {func(fs FS) error { return fs.Remove(old) }, true},
		"create table":  {func(fs FS) error { return create(fs, other+"x") }, false},
		"remove table":  {func(fs FS) error { return fs.Remove(other) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			disk := vfs.NewCrashableMem()
			for _, name := range []string{old, other} {
				require.NoError(t, create(disk, name))
			}
			dir, err := disk.OpenDir("")
			require.NoError(t, err)
			require.NoError(t, dir.Sync())
			require.NoError(t, create(disk, current))
			require.NoError(t, c.change(FS{disk}))
			kept, err := disk.CrashClone(vfs.CrashCloneCfg{}).List("")
			require.NoError(t, err)
			want := []string{old, other}
			if c.synced {
				want = append(want, current)
			}
			require.ElementsMatch(t, want, kept)
		})
	}
}

func create(fs vfs.FS, name string) error {
	file, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	return file.Close()
}

// TestCrashes crashes machines while Pebble changes the MANIFEST of stores
// without filters, on disks that keep any part of what was not synced. Pebble
// alone loses stores there, so the tests of this module's crashes use FS.
func TestCrashes(t *testing.T) {
	for _, c := range []struct {
		name string
		wrap func(vfs.FS) vfs.FS
		lost bool
	}{
		{"Pebble alone", func(fs vfs.FS) vfs.FS { return fs }, true},
		{"FS", func(fs vfs.FS) vfs.FS { return FS{fs} }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			disk := vfs.NewCrashableMem()
			key := []byte("key")
			opts := &pebble.Options{FS: c.wrap(disk), Logger: storetest.QuietLogger{}}
			db := storetest.Open(t, "", opts)
			require.NoError(t, db.Set(key, key, pebble.Sync))
			require.NoError(t, db.Close())

			rng := rand.New(rand.NewPCG(1, 1))
			var crashed []*vfs.MemFS
			created := false
			opts.FS = c.wrap(errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
				created = created || strings.HasPrefix(op.Path, "MANIFEST")
				for range 10 {
					if created && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
						crashed = append(crashed, disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rng}))
					}
				}
				return nil
			})))
			require.NoError(t, storetest.Open(t, "", opts).Close())
			require.Greater(t, len(crashed), 100)

			lost := 0
			for _, fs := range crashed {
				db, err := pebble.Open("", &pebble.Options{FS: fs, Logger: storetest.QuietLogger{}, ErrorIfNotExists: true})
				if err != nil {
					lost++
					continue
				}
				value, err := storetest.Get(t, db, key)
				require.NoError(t, err)
				require.Equal(t, key, value)
				require.NoError(t, db.Close())
			}
			require.Equal(t, c.lost, lost > 0, "%d stores of %d", lost, len(crashed))
		})
	}
}
