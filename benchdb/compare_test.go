package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, args ...string) string {
		file := filepath.Join(dir, name)
		args = slices.Concat(tiny, []string{"--out", file, "--workloads", "absent", "--policies", "pebble-bloom:10"}, args)
		require.Equal(t, exitOK, command(t, t.Context(), args...).status)
		return file
	}
	old, again := write("old.json"), write("again.json")
	other := write("other.json", "--operations", "200", "--absent", "0.5")

	got := command(t, t.Context(), "compare", old, old+","+again, again, "--fail-on", "100000%")
	require.Equal(t, exitOK, got.status, got.stderr)
	require.Equal(t, 2, strings.Count(got.stdout, "old: "+old+"\n"))
	require.Contains(t, got.stdout, "absent 64KiB pebble-bloom:10 L6")
	require.NotContains(t, got.stdout, "settings differ")

	// Fewer operations are another measurement.
	got = command(t, t.Context(), "compare", "--fail-on=20%", other, old)
	require.Equal(t, exitOK, got.status, got.stderr)
	require.Contains(t, got.stdout, "settings differ, operations: 200 and 400\n")
	require.Contains(t, got.stdout, "n/a")
	require.NotContains(t, strings.ToLower(got.stdout), "worse")

	content, err := os.ReadFile(other)
	require.NoError(t, err)
	pretended := filepath.Join(dir, "pretended.json")
	content = bytes.Replace(content, []byte(`"operations": 200`), []byte(`"operations": 400`), 1)
	require.NoError(t, os.WriteFile(pretended, bytes.Replace(content, []byte(`"absent": 0.5`), []byte(`"absent": 1`), 1), 0o644))
	got = command(t, t.Context(), "compare", "--fail-on=20%", old, pretended)
	require.Equal(t, exitFailure, got.status)
	require.Contains(t, got.stdout, "WORSE")
	require.Regexp(t, `^benchdb: worse by more than --fail-on allows: \d+ figures\n$`, got.stderr)
	got = command(t, t.Context(), "compare", old, pretended)
	require.Equal(t, exitOK, got.status, "without --fail-on nothing fails")
	require.Contains(t, got.stdout, "worse")
	require.NotContains(t, got.stdout, "WORSE")

	bad := filepath.Join(dir, "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte("{"), 0o644))
	for _, args := range [][]string{
		{"compare"}, {"compare", old}, {"compare", old, bad}, {"compare", old, filepath.Join(dir, "nowhere.json")},
		{"compare", "--fail-on", "much", old, again}, {"compare", "--fail-on", "-1%", old, again},
	} {
		got := command(t, t.Context(), args...)
		require.Equal(t, exitUsage, got.status, args)
		require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
		require.Empty(t, got.stdout)
	}
}
