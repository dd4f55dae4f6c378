package report

import (
	"os"
	"path/filepath"
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

func TestFileAppearsWhole(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out.json")
	require.NoError(t, os.WriteFile(name, []byte("old"), 0o644))

	f, err := createFile(name)
	require.NoError(t, err)
	require.NoError(t, f.close())
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "old", string(content))
	require.Equal(t, []string{"out.json"}, names(t, dir))

	f, err = createFile(name)
	require.NoError(t, err)
	require.NoError(t, f.writeJSON(map[string]int{"a": 1}))
	require.NoError(t, f.close())
	content, err = os.ReadFile(name)
	require.NoError(t, err)
	require.JSONEq(t, `{"a": 1}`, string(content))
	require.Equal(t, []string{"out.json"}, names(t, dir))
}

// A symbolic link stays one, and what it names is written.
func TestFileBehindALink(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "there"), 0o755))
	link := filepath.Join(dir, "out.json")
	require.NoError(t, os.Symlink(filepath.Join("there", "real.json"), link))
	for range 2 { // without the file and with it
		f, err := createFile(link)
		require.NoError(t, err)
		require.NoError(t, f.writeJSON(1))
		require.NoError(t, f.close())
		info, err := os.Lstat(link)
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeSymlink)
		require.FileExists(t, filepath.Join(dir, "there", "real.json"))
	}
}

func TestFileThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	_, err := createFile(dir)
	require.ErrorContains(t, err, "not a file")
	_, err = createFile(filepath.Join(dir, "no", "out.json"))
	require.ErrorContains(t, err, "another directory")

	f, err := createFile("")
	require.NoError(t, err)
	require.NoError(t, f.writeJSON(1))
	require.NoError(t, f.close())
}
