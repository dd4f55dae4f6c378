package diskio

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

func TestReadsAreThoseOfTheFile(t *testing.T) {
	dir := t.TempDir()
	if err := CheckDirect(dir); err != nil {
		t.Skip(err)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)

	data := make([]byte, 50_001)
	_, _ = rand.NewChaCha8([32]byte{}).Read(data)
	name := filepath.Join(dir, "000001.sst")
	require.NoError(t, os.WriteFile(name, data, 0o644))
	f, err := NewDirectFS(vfs.Default).Open(name)
	require.NoError(t, err)
	defer f.Close()

	for _, r := range []struct{ offset, length int }{
		{0, 1}, {0, 4096}, {1, 4096}, {4095, 2}, {8192, 8192}, {49_000, 1001}, {0, 50_001},
	} {
		p := make([]byte, r.length)
		n, err := f.ReadAt(p, int64(r.offset))
		require.NoError(t, err, r)
		require.Equal(t, r.length, n)
		require.Equal(t, data[r.offset:r.offset+r.length], p, r)
	}
	for _, r := range []struct{ offset, want int }{{50_000, 1}, {50_001, 0}, {60_000, 0}} {
		n, err := f.ReadAt(make([]byte, 100), int64(r.offset))
		require.Equal(t, io.EOF, err)
		require.Equal(t, r.want, n)
	}
}
