package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDamagedStores runs the commands that read a store of a user's on stores
// that are damaged: a failure in one line, not a wrong argument.
func TestDamagedStores(t *testing.T) {
	for name, c := range map[string]struct {
		file  string
		write func(name string, content []byte) error
	}{
		"footer": {"*.sst", func(name string, content []byte) error {
			content[len(content)-3] ^= 1
			return os.WriteFile(name, content, 0o644)
		}},
		"half a table": {"*.sst", func(name string, content []byte) error {
			return os.WriteFile(name, content[:len(content)/2], 0o644)
		}},
		"lost table":     {"*.sst", func(name string, _ []byte) error { return os.Remove(name) }},
		"empty MANIFEST": {"MANIFEST-*", func(name string, _ []byte) error { return os.WriteFile(name, nil, 0o644) }},
		"OPTIONS":        {"OPTIONS-*", func(name string, _ []byte) error { return os.WriteFile(name, []byte{0}, 0o644) }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newStore(t, nil)
			files, err := filepath.Glob(filepath.Join(dir, c.file))
			require.NoError(t, err)
			content, err := os.ReadFile(files[0])
			require.NoError(t, err)
			require.NoError(t, c.write(files[0], content))
			for _, args := range []string{"inspect", "plan --read reader", "refilter --plan bloom:10 --dry-run", "refilter --plan bloom:10"} {
				got := command(t, t.Context(), append(strings.Fields(args), dir)...)
				require.Equal(t, exitFailure, got.status, "%s: %s", args, got.stderr)
				require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
				require.Contains(t, got.stderr, dir)
				require.Less(t, len(got.stderr), 400)
				require.Empty(t, got.stdout)
			}
		})
	}
}
