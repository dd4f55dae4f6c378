package report

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain is a result without a page.
type plain struct {
	Head
	A int
}

func (*plain) Page() Page { return Page{} }

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

	f := &file{ending: ".json"}
	require.NoError(t, f.create(name))
	require.NoError(t, f.close())
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "old", string(content))
	require.Equal(t, []string{"out.json"}, names(t, dir))

	require.NoError(t, f.create(name))
	require.NoError(t, f.write(&plain{A: 1}))
	require.NoError(t, f.close())
	content, err = os.ReadFile(name)
	require.NoError(t, err)
	require.Contains(t, string(content), `"A": 1`)
	require.Equal(t, []string{"out.json"}, names(t, dir))
}

// A symbolic link stays one, and what it names is written.
func TestFileBehindALink(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "there"), 0o755))
	link := filepath.Join(dir, "out.json")
	require.NoError(t, os.Symlink(filepath.Join("there", "real.json"), link))
	for range 2 { // without the file and with it
		f := &file{ending: ".json"}
		require.NoError(t, f.create(link))
		require.NoError(t, f.write(&plain{}))
		require.NoError(t, f.close())
		info, err := os.Lstat(link)
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeSymlink)
		require.FileExists(t, filepath.Join(dir, "there", "real.json"))
	}
}

func TestFileThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	require.ErrorContains(t, (&file{}).create(dir), "not a file")
	require.ErrorContains(t, (&file{}).create(filepath.Join(dir, "no", "out.json")), "another directory")
}
