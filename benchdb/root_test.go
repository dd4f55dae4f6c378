package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUsageErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.txt")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o644))
	directory := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.Mkdir(directory, 0o755))
	for _, c := range []struct {
		args string
		want []string
	}{
		{"frobnicate", []string{"frobnicate", "--help"}},
		{"run extra", []string{"extra", "--help"}},
		{"--nonsense", []string{"--nonsense", "--help"}},
		{"--policies blom:10", []string{"--policies", `"blom"`, "bloom"}},
		{"--policies pebble-bloom:x", []string{"--policies", "pebble-bloom:10"}},
		{"--records ten", []string{"--records", "ten", "--help"}},
		{"--records 999", []string{"--records 999", "1000"}},
		{"--records 2000000000", []string{"--records", "--value-size", "--store"}},
		{"--records 1125899906842624 --value-size 16361", []string{"--records", "need about 8.00 EiB"}}, // 2^64 bytes a store
		{"--value-size 0", []string{"--value-size 0", "16MiB"}},
		{"--value-size 1EB", []string{"--value-size", "16MiB"}},
		{"--memory 1XB", []string{"--memory", "1XB", "64MiB"}},
		{"--memory 1MiB,1KiB", []string{"--memory 1KiB", "64KiB"}},
		{"--operations 0", []string{"--operations 0", "1"}},
		{"--absent 1.5", []string{"--absent 1.5", "0 to 1"}},
		{"--absent NaN", []string{"--absent NaN", "0 to 1"}},
		{"--threads 0", []string{"--threads 0", "1024"}},
		{"--workloads G", []string{"--workloads", `"G"`, "A, B, C"}},
		{"--workloads abesnt", []string{"did you mean absent?"}},
		{"--workloads A,a", []string{"--workloads", "two A"}},
		{"rn", []string{`"rn"`, "did you mean run?"}},
		{"--distribution zipf", []string{"--distribution", "zipfian, latest, uniform"}},
		{"--key-size 7", []string{"--key-size 7", "from 8"}},
		{"--split 24", []string{"--split 24", "from 0 to 23"}},
		{"--split 14 --workloads prefix", []string{"--split 14", "13 bytes"}},
		{"--rounds 0", []string{"--rounds 0", "1"}},
		{"--rate -1", []string{"--rate", "-1"}},
		{"--policies bloom:10 --policies bloom:10.0", []string{"two bloom:10", "once"}},
		{"--threads 1,0", []string{"--threads 1,0", "1024"}},
		{"--workloads=", []string{"--workloads", "absent"}},
		{"--load slowly", []string{"--load", "slowly", "shape", "write"}},
		{"--out " + directory, []string{"--out", "not a file"}},
		{"--out x.html," + file + "/x.json", []string{"--out", file}},
		{"--out x.png", []string{"--out", "x.png", ".html, .svg, .json, .csv or .txt"}},
		{"--store " + file, []string{"--store", file, "new or empty"}},
		{"--store " + file + "/x", []string{"--store", file, "new or empty"}},
		{"--store " + filepath.Dir(file), []string{"--store", "mine.txt", "new or empty"}},
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
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "mine", string(content))
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestHelp(t *testing.T) {
	got := command(t, t.Context(), "run", "--help")
	require.Equal(t, exitOK, got.status)
	require.Contains(t, got.stdout, "Examples:")
	require.Contains(t, got.stdout, `(default none pebble-bloom:10 default)`)
	require.Contains(t, command(t, t.Context(), "--help").stdout, "run ")
}

func TestRootTakesTheFlagsOfRun(t *testing.T) {
	root := command(t, t.Context(), "--records", "5")
	run := command(t, t.Context(), "run", "--records", "5")
	require.Equal(t, run, root)
}

func TestVersion(t *testing.T) {
	got := command(t, t.Context(), "--version")
	require.Equal(t, exitOK, got.status)
	require.Contains(t, got.stdout, "benchdb version ")
	require.Contains(t, got.stdout, "Pebble ")
}

func TestCompletion(t *testing.T) {
	got := command(t, t.Context(), "__complete", "run", "--workloads", "ab")
	require.Equal(t, exitOK, got.status)
	require.Contains(t, got.stdout, "absent\n")
	require.NotContains(t, got.stdout, "A\n:")
	require.Contains(t, command(t, t.Context(), "__complete", "--policies", "").stdout, "dense:10;index=8\n")
	require.Contains(t, command(t, t.Context(), "__complete", "micro", "--policies", "binary").stdout, "binaryfuse:16\n")
}
