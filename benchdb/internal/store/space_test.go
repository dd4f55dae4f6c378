package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestTemporarySpaceGoes(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s, err := OpenSpace("")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(s.Store("bloom:10"), 0o755))
	require.DirExists(t, s.Scratch)
	require.NoError(t, s.Close())
	require.Empty(t, names(t, os.Getenv("TMPDIR")))
}

func TestNamedSpaceKeepsStores(t *testing.T) {
	empty := t.TempDir()
	for _, dir := range []string{empty, filepath.Join(empty, "new")} {
		s, err := OpenSpace(dir)
		require.NoError(t, err)
		require.NoError(t, os.Mkdir(s.Store("L0-L5=bloom:10;L6=ribbon:0.5%"), 0o755))
		require.NoError(t, s.Close())
		require.Equal(t, []string{"L0-L5-bloom-10-L6-ribbon-0.5-"}, names(t, dir))
		require.NoError(t, os.RemoveAll(s.Store("L0-L5=bloom:10;L6=ribbon:0.5%")))
		long := s.Store(strings.Repeat("L0=bloom:10;", 40))
		require.NoError(t, os.Mkdir(long, 0o755))
		require.NoError(t, os.Remove(long))
	}
}

func TestUnusedSpaceLeavesNothingNew(t *testing.T) {
	empty := t.TempDir()
	for _, dir := range []string{empty, filepath.Join(empty, "new")} {
		s, err := OpenSpace(dir)
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}
	require.Empty(t, names(t, empty))
}

func TestSpaceOfOthers(t *testing.T) {
	dir := t.TempDir()
	manifest := filepath.Join(dir, "MANIFEST-000001")
	require.NoError(t, os.WriteFile(manifest, []byte("x"), 0o644))
	for name, want := range map[string]string{
		dir:                           "holds other things, such as MANIFEST-000001",
		manifest:                      "not a directory",
		filepath.Join(manifest, "in"): "not a directory",
		filepath.Join(dir, "a", "b"):  "cannot create",
	} {
		_, err := OpenSpace(name)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "new or empty directory")
	}
	require.Equal(t, []string{"MANIFEST-000001"}, names(t, dir))
}
