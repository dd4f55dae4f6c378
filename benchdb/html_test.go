package main

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPagesOfOtherCommands(t *testing.T) {
	shape := filepath.Join(t.TempDir(), "shape.json")
	require.NoError(t, os.WriteFile(shape, []byte(`{"levels": [{"level": 0, "keys": 2000}, {"level": 6, "keys": 60000}]}`), 0o644))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"micro", "--keys", "1000", "--rounds", "1", "--absent-keys", "1000", "--cold", "0"}, "In filters of 1,000 keys, "},
		{[]string{"plan", "--read", "get", "--shape", shape, "--budget", "80KiB"}, "is expected to waste"},
	} {
		file := filepath.Join(t.TempDir(), "page.html")
		got := command(t, t.Context(), append(slices.Clone(c.args), "--out", file)...)
		require.Equal(t, exitOK, got.status, got.stderr)
		page, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(page), c.want)
	}
	for _, args := range [][]string{{"micro"}, {"paper"}, {"plan", "--read", "get", "--shape", shape, "--budget", "80KiB"}} {
		got := command(t, t.Context(), append(slices.Clone(args), "--out", t.TempDir()+"/nowhere/page.html")...)
		require.Equal(t, exitUsage, got.status)
		require.Contains(t, got.stderr, "--out")
	}
}

// TestPicture: the first chart of a page is an SVG that stands alone.
func TestPicture(t *testing.T) {
	shape := filepath.Join(t.TempDir(), "shape.json")
	require.NoError(t, os.WriteFile(shape, []byte(`{"levels": [{"level": 0, "keys": 2000}, {"level": 6, "keys": 60000}]}`), 0o644))
	file := filepath.Join(t.TempDir(), "plan.svg")
	got := command(t, t.Context(), "plan", "--read", "get", "--shape", shape, "--budget", "80KiB", "--out", file)
	require.Equal(t, exitOK, got.status, got.stderr)
	picture, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(picture, &struct {
		XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
	}{}))
	for _, colour := range regexp.MustCompile(`var\((--[^)]*)\)`).FindAllSubmatch(picture, -1) {
		require.GreaterOrEqual(t, bytes.Count(picture, append(colour[1], ':')), 2, "%s on light and on dark screens", colour[1])
	}
}
