package refilter

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

func read(t testing.TB, fs vfs.FS, name string) []byte {
	t.Helper()
	file, err := fs.Open(name)
	require.NoError(t, err)
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	return content
}

func write(t testing.TB, fs vfs.FS, name string, content []byte) {
	t.Helper()
	file, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = file.Write(content)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// TestDamagedManifest damages a MANIFEST in many ways. What Pebble refuses is
// refused, and nothing is written.
func TestDamagedManifest(t *testing.T) {
	fs := vfs.NewMem()
	s := newOldStore(t, fs, "db", storetest.KeySpaces()["whole keys"], nil, false, 8)
	desc, err := ondisk.Peek("db", fs)
	require.NoError(t, err)
	intact := read(t, fs, desc.ManifestFilename)
	damaged := [][]byte{nil, {0}, []byte("not a manifest at all")}
	for n := 1; n < len(intact); n += len(intact) / 40 {
		damaged = append(damaged, intact[:n])
		flipped := append([]byte{}, intact...)
		flipped[n] ^= 0x55
		damaged = append(damaged, flipped)
	}
	refused := 0
	for _, manifest := range damaged {
		write(t, fs, desc.ManifestFilename, manifest)
		opts := s.opts.Clone()
		opts.ReadOnly = true
		db, want := pebble.Open("db", opts)
		if want == nil {
			require.NoError(t, db.Close())
			continue
		}
		refused++
		before := listing(t, fs)
		for _, dryRun := range []bool{true, false} {
			_, err := Run(t.Context(), "db", s.opts, storetest.ParsePlan(t, "bloom:10"), Settings{DryRun: dryRun})
			require.ErrorContains(t, err, strings.Join(strings.Fields(want.Error()), " "))
		}
		require.ElementsMatch(t, before, listing(t, fs), "nothing is written")
	}
	require.Greater(t, refused, len(damaged)/2)
	write(t, fs, desc.ManifestFilename, intact)
	s.resume(t, fs, "db", storetest.ParsePlan(t, "bloom:10"))
}

// TestDamagedBlock damages the data of one table: the others may be rewritten,
// and the error says in a line what was done. The process goes on.
func TestDamagedBlock(t *testing.T) {
	fs := vfs.NewMem()
	s := newOldStore(t, fs, "db", storetest.KeySpaces()["whole keys"], nil, true, 9)
	survey := newSurvey("db", s.opts, storetest.ParsePlan(t, "bloom:10"))
	pending, err := survey.pending(t.Context())
	require.NoError(t, err)
	require.Greater(t, len(pending), 3)
	name := fs.PathJoin("db", fmt.Sprintf("%06d.sst", pending[2].backing))
	intact := read(t, fs, name)
	damaged := append([]byte{}, intact...)
	damaged[10] ^= 1
	write(t, fs, name, damaged)

	for _, listener := range []*pebble.EventListener{nil, {}} {
		opts := s.opts.Clone()
		opts.EventListener = listener
		report, err := runInSteps(t.Context(), "db", opts, storetest.ParsePlan(t, "bloom:10"), Settings{})
		require.True(t, pebble.IsCorruptionError(err), "%v", err)
		require.NotContains(t, err.Error(), "\n")
		require.Less(t, len(err.Error()), 400)
		require.ErrorContains(t, err, "tables are rewritten, the others are as they were")
		require.Less(t, report.Done, report.Pending)
	}
	write(t, fs, name, intact)
	s.resume(t, fs, "db", storetest.ParsePlan(t, "bloom:10"))
}

// TestReadOnlyFileSystem makes a dry run where nothing can be written, the LOCK
// file included, and of a store that has none.
func TestReadOnlyFileSystem(t *testing.T) {
	fs := vfs.NewMem()
	s := newOldStore(t, fs, "db", storetest.KeySpaces()["whole keys"], nil, false, 10)
	opts := s.opts.Clone()
	opts.FS = errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite || op.Kind == errorfs.OpLock {
			return &os.PathError{Op: "open", Path: op.Path, Err: syscall.EROFS}
		}
		return nil
	}))
	plan := storetest.ParsePlan(t, "bloom:10")
	want, err := Run(t.Context(), "db", s.opts, plan, Settings{DryRun: true})
	require.NoError(t, err)
	require.Positive(t, want.Pending)
	check := func() {
		before := listing(t, fs)
		report, err := Run(t.Context(), "db", opts, plan, Settings{DryRun: true})
		require.NoError(t, err)
		require.Equal(t, want.Pending, report.Pending)
		require.ElementsMatch(t, before, listing(t, fs))
		_, err = Run(t.Context(), "db", opts, plan, Settings{})
		require.ErrorIs(t, err, syscall.EROFS)
		require.NotContains(t, err.Error(), "is open")
	}
	check()
	require.NoError(t, fs.Remove("db/LOCK"))
	check()
}

// TestStoppedSurvey is stopped before it has seen all tables.
func TestStoppedSurvey(t *testing.T) {
	s := newOldStore(t, vfs.NewMem(), "db", storetest.KeySpaces()["whole keys"], nil, false, 11)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := Run(ctx, "db", s.opts, storetest.ParsePlan(t, "bloom:10"), Settings{DryRun: true})
	require.ErrorIs(t, err, context.Canceled)
}
