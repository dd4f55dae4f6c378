package pebbleext

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// risen are the modules of a program with Pebble whose versions rise when it
// imports this package, each for its reason. The go.mod of this module requires
// the lowest versions that work, so that the list stays short.
var risen = map[string]string{
	"github.com/cespare/xxhash/v2": "FastFilter/xorfilter, a peer in benchdb, requires v2.3.0",
	"golang.org/x/sys":             "golang.org/x/tools, which johannesboyne/gofakes3 and gonum.org/v1/plot bring to benchdb, requires v0.35.0",
	"golang.org/x/text":            "gonum.org/v1/plot, of benchdb's charts, requires v0.28.0",
}

// TestFewDependenciesRise links this package into a module that has Pebble
// already, and compares the versions that the module links before and after.
func TestFewDependenciesRise(t *testing.T) {
	before := linkedVersions(t, `import _ "github.com/cockroachdb/pebble/v2"`, false)
	after := linkedVersions(t, `import _ "github.com/gravelkv/gravel/pebbleext"`, true)
	rise := map[string]bool{}
	for module, version := range before {
		if now, linked := after[module]; linked && now != version {
			require.Contains(t, risen, module, "%s rises from %s to %s", module, version, now)
			rise[module] = true
		}
	}
	require.Len(t, rise, len(risen), "a module no longer rises: take it off the list")
}

// linkedVersions returns the version of each module that a program links.
func linkedVersions(t *testing.T, imports string, ofThisModule bool) map[string]string {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	dir := t.TempDir()
	mod := "module example.com/program\n\ngo 1.24\n\nrequire github.com/cockroachdb/pebble/v2 v2.1.7\n"
	if ofThisModule {
		mod += "\nrequire github.com/gravelkv/gravel v0.0.0\n\nreplace github.com/gravelkv/gravel => " + root + "\n"
	}
	program := "package main\n\n" + imports + "\n\nfunc main() {}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600))
	list := exec.Command("go", "list", "-mod=mod", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", ".")
	list.Dir = dir
	var problem strings.Builder
	list.Stderr = &problem
	out, err := list.Output()
	require.NoError(t, err, "%s", problem.String())
	versions := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if module, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			versions[module] = version
		}
	}
	return versions
}
