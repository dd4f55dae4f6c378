// Package upstream runs the tests of a program's own package with Gravel in
// place, on a copy of the program's module.
package upstream

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Copy returns the folder of a copy of a module that the test's module
// requires.
func Copy(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(strings.TrimSpace(string(out)))))
	return dir
}

// Patch applies a diff to the copy of a module.
func Patch(t *testing.T, dir, diff string) {
	t.Helper()
	path, err := filepath.Abs(diff)
	require.NoError(t, err)
	apply := exec.Command("git", "-C", dir, "apply", "--verbose", path)
	apply.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir)) // in no repository
	output, err := apply.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.NotContains(t, string(output), "Skipped patch")
}

// Test runs the tests of a package of the module whose copy is in a folder. All
// other modules are those of the test's own go.mod.
func Test(t *testing.T, module, dir, pkg string, args ...string) {
	t.Helper()
	text, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	sums, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	modfile := filepath.Join(t.TempDir(), "go.mod")
	require.NoError(t, os.WriteFile(modfile, append(text, "\nreplace "+module+" => "+dir+"\n"...), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(modfile), "go.sum"), sums, 0o600))
	args = append([]string{"test", "-v", "-mod=mod", "-modfile", modfile}, append(args, pkg)...)
	output, err := exec.Command("go", args...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "--- PASS", "tests ran")
}

// Add adds the files of a folder to the copy of a module.
func Add(t *testing.T, dir, files string) {
	t.Helper()
	require.NoError(t, os.CopyFS(dir, os.DirFS(files)))
}
