package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/paper"
)

func TestPaperUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"paper extra", []string{"extra", "benchdb paper --help"}},
		{"paper --trials 99", []string{"--trials 99", "100"}},
		{"paper --trials x", []string{"--trials", "x", "--help"}},
		{"paper --trials 500 --full", []string{"trials", "full", "--help"}},
		{"paper --figure nothing", []string{"--figure", "nothing", "Figure 1:"}},
		{"paper --seed -1", []string{"--seed", "-1"}},
		{"paper --out paper.csv", []string{"--out", "paper.csv: must end in .html, .svg or .json"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			got := command(t, t.Context(), strings.Fields(c.args)...)
			require.Equal(t, exitUsage, got.status, got.stderr)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
			for _, word := range c.want {
				require.Contains(t, got.stderr, word)
			}
			require.Empty(t, got.stdout)
		})
	}
}

// TestPaperInterrupted has what is done printed and written.
func TestPaperInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := filepath.Join(t.TempDir(), "paper.json")
	got := command(t, ctx, "paper", "--seed", "7", "--out", file)
	require.Equal(t, exitFailure, got.status)
	require.Equal(t, "benchdb: interrupted\n", got.stderr)
	require.Contains(t, got.stdout, "1,000 trials where the papers have 10,000, seed 7\n")
	require.True(t, strings.HasSuffix(got.stdout, "0 rows, all within tolerance until the interruption\n"), got.stdout)

	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var r paper.Result
	require.NoError(t, json.Unmarshal(data, &r))
	require.True(t, r.Interrupted)
	require.Equal(t, paper.Settings{Seed: 7, Trials: 1000}, r.Settings)
}
