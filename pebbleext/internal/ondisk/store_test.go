package ondisk_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

func TestDamagedOptions(t *testing.T) {
	dir := t.TempDir()
	db := storetest.Open(t, dir, &pebble.Options{Logger: storetest.QuietLogger{}})
	require.NoError(t, db.Close())
	desc, err := ondisk.Peek(dir, vfs.Default)
	require.NoError(t, err)
	intact, err := os.ReadFile(desc.OptionsFilename)
	require.NoError(t, err)
	long := strings.Repeat("long ", 1000)
	for name, c := range map[string]struct{ text, want string }{
		"no text":        {"\x00\xff\xfe\x01", "is damaged: it is no text"},
		"unknown option": {strings.Replace(string(intact), "[Options]", "[Options]\n  x"+long+"=1", 1), "unknown option"},
		"comparer":       {strings.Replace(string(intact), "leveldb.BytewiseComparator", "mine"+long, 1), `the comparer "minelong`},
		"no value":       {"[Options]\n" + long, "key=value"},
		"wrong value":    {strings.Replace(string(intact), "cache_size=", "cache_size="+long, 1), "parsing"},
	} {
		t.Run(name, func(t *testing.T) {
			require.NotEqual(t, string(intact), c.text)
			require.NoError(t, os.WriteFile(desc.OptionsFilename, []byte(c.text), 0o644))
			_, err := ondisk.Options(desc, vfs.Default, ondisk.ParseHooks())
			require.ErrorContains(t, err, filepath.Base(desc.OptionsFilename))
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
			_, told, _ := strings.Cut(err.Error(), desc.OptionsFilename)
			require.Less(t, len(told), 110)
		})
	}
}

// TestUnreadable tells an unreadable directory from a store of another format.
func TestUnreadable(t *testing.T) {
	_, err := ondisk.Peek("db", unreadable{vfs.NewMem()})
	require.ErrorIs(t, err, os.ErrPermission)
	require.NotContains(t, err.Error(), "format")
}

type unreadable struct{ vfs.FS }

func (unreadable) Stat(name string) (vfs.FileInfo, error) { return vfs.Default.Stat(os.TempDir()) }
func (unreadable) List(name string) ([]string, error) {
	return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrPermission}
}
