package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/micro"
)

// tinyMicro and tinySizes take a fraction of a second.
var (
	tinyMicro = []string{
		"micro", "--rounds", "3", "--absent-keys", "20000",
		"--policies", "none pebble-bloom:10 bloom:10", "--policies", "binaryfuse:8",
	}
	tinySizes = []string{"--keys", "2k,5000", "--cold", "16MiB"}
	oneSize   = []string{"--keys", "2k", "--cold", "0"}
)

// microJSON runs micro and reads its JSON file.
func microJSON(t *testing.T, args ...string) (outcome, micro.Result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.json")
	got := command(t, t.Context(), slices.Concat(tinyMicro, []string{"--out", file}, args)...)
	require.Equal(t, exitOK, got.status, got.stderr)
	require.Empty(t, got.stderr)
	return got, readMicro(t, file)
}

func readMicro(t *testing.T, file string) micro.Result {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	var r micro.Result
	require.NoError(t, decoder.Decode(&r))
	return r
}

func TestMicro(t *testing.T) {
	got, r := microJSON(t, tinySizes...)
	requireColumns(t, got.stdout)
	require.False(t, r.Interrupted)
	require.Equal(t, []string{"none", "pebble-bloom:10", "bloom:10", "binaryfuse:8"}, r.Settings.Policies)

	require.Len(t, r.Builds, 2)
	for i, keys := range []int{2000, 5000} {
		require.Equal(t, keys, r.Builds[i].Keys)
		require.Len(t, r.Builds[i].Rows, 4)
		for _, row := range r.Builds[i].Rows {
			requireSoundBuild(t, keys, row)
		}
	}
	require.Len(t, r.Queries, 2+1, "of two sizes of filters, and many filters")
	for _, q := range r.Queries {
		require.Len(t, q.Rows, 4)
		for _, row := range q.Rows {
			requireSoundAnswers(t, row.Policy, row.OneCore)
			if row.AllCores != nil {
				requireSoundAnswers(t, row.Policy, *row.AllCores)
			}
		}
	}
	require.EqualValues(t, 16<<20, r.Queries[2].ColdBytes)
}

func requireSoundBuild(t *testing.T, keys int, row micro.BuildRow) {
	t.Helper()
	require.InDelta(t, 8*float64(row.Bytes)/float64(keys), row.BitsPerKey, 1e-9)
	require.Equal(t, float64(row.FPR.Positives)/float64(row.FPR.AbsentKeys), row.FPR.Rate)
	require.GreaterOrEqual(t, row.FPR.AbsentKeys, 20_000)
	if row.Policy == "none" {
		require.Nil(t, row.Time)
		require.Nil(t, row.PeakBytesPerKey)
		require.Zero(t, row.BitsPerKey)
		require.Equal(t, 1.0, row.FPR.Rate)
		return
	}
	require.InDelta(t, 10.5, row.BitsPerKey, 2, row.Policy)
	require.InDelta(t, 0.008, row.FPR.Rate, 0.007, row.Policy)
	require.Positive(t, row.Time.NS)
	require.Equal(t, 3, row.Time.Rounds)
	require.Greater(t, *row.PeakBytesPerKey, row.BitsPerKey/8)
}

func requireSoundAnswers(t *testing.T, policy string, a micro.Answers) {
	t.Helper()
	for _, time := range []micro.Time{a.Absent, a.Present} {
		require.Positive(t, time.NS, policy)
		require.Positive(t, time.Ratio, policy)
		if policy == micro.BaselineText {
			require.Equal(t, 1.0, time.Ratio)
		}
	}
}

// Only Gravel's blocks have random seeds.
func TestMicroRatesAreReproducible(t *testing.T) {
	_, first := microJSON(t, oneSize...)
	_, second := microJSON(t, oneSize...)
	_, other := microJSON(t, slices.Concat(oneSize, []string{"--seed", "2"})...)
	for i, row := range first.Builds[0].Rows {
		if row.Policy != "bloom:10" {
			require.Equal(t, row.FPR, second.Builds[0].Rows[i].FPR)
		}
	}
	require.NotEqual(t, first.Builds[0].Rows[1].FPR, other.Builds[0].Rows[1].FPR)
	require.Len(t, first.Queries, 1)
}

func TestMicroUsageErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.txt")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o644))
	for _, c := range []struct {
		args string
		want []string
	}{
		{"extra", []string{"extra", "--help"}},
		{"--nonsense", []string{"--nonsense", "micro --help"}},
		{"--policies blom:10", []string{"--policies", `"blom"`, "pebble-bloom:10", "binaryfuse:8"}},
		{"--policies binaryfuse:9", []string{"--policies", "binaryfuse:16"}},
		{"--policies L0-L5=bloom:10;L6=none", []string{"--policies", "level plan"}},
		{"--policies=", []string{"--policies", "at least one"}},
		{"--keys ten", []string{"--keys", `"ten"`, "10k"}},
		{"--keys 99", []string{"--keys 99", "100"}},
		{"--keys 10k,1.5", []string{"--keys", `"1.5"`}},
		{"--keys 2G", []string{"--keys 2000000000", "1G"}},
		{"--keys=", []string{"--keys", "10k"}},
		{"--key-size 7", []string{"--key-size 7", "8 to 65536"}},
		{"--key-size 70000", []string{"--key-size 70000", "8 to 65536"}},
		{"--cold 1KiB", []string{"--cold 1KiB", "16MiB"}},
		{"--cold 2TiB", []string{"--cold 2TiB", "1TiB"}},
		{"--rounds 0", []string{"--rounds 0", "1"}},
		{"--absent-keys 0", []string{"--absent-keys 0", "1"}},
		{"--seed -1", []string{"--seed", "micro --help"}},
		{"--out /nowhere/page.html", []string{"--out", "/nowhere"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			got := command(t, t.Context(), append([]string{"micro"}, strings.Fields(c.args)...)...)
			require.Equal(t, exitUsage, got.status, got.stderr)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
			for _, word := range c.want {
				require.Contains(t, got.stderr, word)
			}
			require.Empty(t, got.stdout)
		})
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestMicroHelp(t *testing.T) {
	got := command(t, t.Context(), "micro", "--help")
	require.Equal(t, exitOK, got.status)
	require.Contains(t, got.stdout, "Examples:")
	require.Contains(t, got.stdout, "(default 1GiB)")
}

func TestMicroInterrupt(t *testing.T) {
	for _, c := range []struct{ after, printed, missing string }{
		{"Filters alone", "Filters alone", "bound"},
		{"bound", "binaryfuse:8", "MayContain"},
		{"MayContain", "binaryfuse:8", "16.0 MiB of filters"},
	} {
		file := filepath.Join(t.TempDir(), "out.json")
		ctx, cancel := context.WithCancel(t.Context())
		stdout := &cancelAfter{text: c.after, cancel: cancel}
		var stderr bytes.Buffer
		status := execute(ctx, slices.Concat(tinyMicro, tinySizes, []string{"--out", file}), stdout, &stderr)
		require.Equal(t, exitFailure, status)
		require.Equal(t, "benchdb: interrupted\n", stderr.String())
		require.Contains(t, stdout.String(), c.printed)
		require.NotContains(t, stdout.String(), c.missing)
		require.True(t, readMicro(t, file).Interrupted)
	}
}
