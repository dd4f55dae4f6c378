package pebbleext_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLayout holds the drawing of the packages against the code:
// nothing left of an arrow depends on what is right of it, and what is right of
// it depends on something left of it. In the first line of the drawing a name
// stands for all packages of a folder.
func TestLayout(t *testing.T) {
	text, err := os.ReadFile("../.github/CONTRIBUTING.md")
	require.NoError(t, err)
	drawing := regexp.MustCompile(`(?m)^    .* → .*$`).FindAllString(string(text), -1)
	require.Len(t, drawing, 3)
	dependencies := packageDependencies(t)
	for number, line := range drawing {
		var left []string
		for stage := range strings.SplitSeq(strings.TrimSpace(line), " → ") {
			right := drawnPackages(t, dependencies, stage, number == 0)
			for _, l := range left {
				for _, r := range right {
					require.NotContains(t, dependencies[l], r, "%s depends on %s", l, r)
				}
			}
			for _, r := range right {
				require.True(t, number == 0 || left == nil || intersect(dependencies[r], left), "%s depends on nothing left of it", r)
			}
			left = append(left, right...)
		}
	}
}

// packageDependencies returns the packages of this module, each with those that
// it imports, directly or not.
func packageDependencies(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "github.com/gravelkv/gravel/...")
	out, err := list.Output()
	require.NoError(t, err)
	dependencies := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(line)
		dependencies[paths[0]] = paths[1:]
	}
	return dependencies
}

// drawnPackages returns the packages that a stage of the drawing names, or all
// of the folders that it names.
func drawnPackages(t *testing.T, packages map[string][]string, stage string, folders bool) (paths []string) {
	t.Helper()
	for name := range strings.SplitSeq(stage, ", ") {
		before := len(paths)
		for path := range packages {
			if strings.HasSuffix(path, "/"+name) || folders && strings.Contains(path, "/"+name+"/") {
				paths = append(paths, path)
			}
		}
		require.Greater(t, len(paths), before, "no package %q", name)
	}
	return paths
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(path string) bool { return slices.Contains(b, path) })
}
