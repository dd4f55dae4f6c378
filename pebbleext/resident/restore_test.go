package resident_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// savingStore is a store that saves its filters.
type savingStore struct {
	filters  *resident.Filters
	db       *pebble.DB
	reported atomic.Int64 // errors
}

func openSaving(t *testing.T, fs vfs.FS) *savingStore {
	s := &savingStore{}
	var err error
	s.filters, err = resident.New(resident.Settings{Budget: 1 << 20, File: "saved"})
	require.NoError(t, err)
	s.filters.SetTurnTime(time.Millisecond)
	s.db = openFilters(t, fs, s.filters, func(opts *pebble.Options) {
		opts.AddEventListener(pebble.EventListener{BackgroundError: func(error) { s.reported.Add(1) }})
	})
	return s
}

func (s *savingStore) close(t *testing.T) {
	require.NoError(t, errors.Join(s.filters.Close(), s.db.Close()))
}

func readFile(t *testing.T, fs vfs.FS, name string) []byte {
	f, err := fs.Open(name)
	require.NoError(t, err)
	content, err := io.ReadAll(f)
	require.NoError(t, errors.Join(err, f.Close()))
	return content
}

func writeFile(t *testing.T, fs vfs.FS, name string, content []byte) {
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.Write(bytes.Clone(content)) // a vfs.File may overwrite it
	require.NoError(t, errors.Join(err, f.Close()))
}

// TestRestored closes a store and opens it again, with the file of filters that
// Close wrote and with other ones. Those filters come from it that tables have.
func TestRestored(t *testing.T) {
	fs := vfs.NewMem()
	s := openSaving(t, fs)
	keys := storetest.Fill(t, s.db, 3000, 20)
	s.close(t)
	older := readFile(t, fs, "saved")
	s = openSaving(t, fs)
	for _, key := range keys {
		require.NoError(t, s.db.Set(append(key, '+'), nil, nil))
	}
	storetest.CompactAll(t, s.db, []byte("a"), []byte("z"))
	eventually(t, s.filters.HasAll)
	s.close(t)
	own := readFile(t, fs, "saved")
	otherFS := vfs.NewMem()
	s = openSaving(t, otherFS)
	storetest.Fill(t, s.db, 3000, 20)
	s.close(t)

	altered := bytes.Clone(own)
	const footer = 32 // begins with the end of the blocks
	for i := range binary.LittleEndian.Uint64(own[len(own)-footer:]) {
		altered[i] ^= 1 // some blocks may be of tables that are gone
	}
	for name, c := range map[string]struct {
		file      []byte
		reported  bool
		all, none bool // filters are restored
	}{
		"own":         {file: own, all: true},
		"older state": {file: older, none: true},
		"other store": {file: readFile(t, otherFS, "saved"), none: true},
		"cut":         {file: own[:len(own)-1], reported: true, none: true},
		"none":        {none: true},
		"empty":       {file: []byte{}, reported: true, none: true},
		"altered":     {file: altered, reported: true, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.file == nil {
				require.NoError(t, fs.Remove("saved"))
			} else {
				writeFile(t, fs, "saved", c.file)
			}
			s := openSaving(t, fs)
			defer s.close(t)
			tables := s.db.Metrics().Total().TablesCount
			eventually(t, func() bool {
				return int64(s.filters.Stats().Known) == tables && s.reported.Load() > 0 == c.reported
			})
			require.Greater(t, tables, int64(1))
			restored := int64(s.filters.Stats().Restored)
			require.Equal(t, c.all, restored == tables)
			require.Equal(t, c.none, restored == 0)
			for _, key := range keys {
				require.True(t, has(t, s.db, s.filters, key))
				require.True(t, has(t, s.db, s.filters, append(key, '+')))
			}
		})
	}
}

// TestCutFiltersRestored closes a store whose filters are cut: the next time they
// are in memory with about as many bits, nothing is read for it, and no key is
// hidden.
// So they are if that process is killed.
func TestCutFiltersRestored(t *testing.T) {
	fs := vfs.NewCrashableMem()
	open := func(fs vfs.FS) (*resident.Filters, *pebble.DB) {
		f, err := resident.New(resident.Settings{Budget: 14 << 10, File: "saved"})
		require.NoError(t, err)
		return f, openFilters(t, fs, f, func(opts *pebble.Options) {
			storetest.Apply(opts, storetest.ParsePlan(t, "ribbon:10"))
			opts.DisableAutomaticCompactions = true
		})
	}
	f, db := open(fs)
	keys := storetest.Fill(t, db, 10_000, 0)
	require.NoError(t, errors.Join(f.Close(), db.Close()))
	f, db = open(fs) // without filters of tables that are gone
	held := func(f *resident.Filters) (held, whole int64) {
		for _, l := range f.Stats().Levels {
			held, whole = held+l.Held, whole+l.Bytes
		}
		return held, whole
	}
	var before, whole int64
	eventually(t, func() bool {
		for _, key := range keys {
			require.False(t, has(t, db, f, append(key, '-')))
		}
		before, whole = held(f)
		return f.HasAll() && before > whole/2
	})
	require.Less(t, before, whole*3/4)
	require.NoError(t, errors.Join(f.Close(), db.Close()))
	for range 2 {
		f, db = open(fs)
		eventually(t, func() bool { return int64(f.Stats().Restored) == db.Metrics().Total().TablesCount })
		require.Zero(t, f.Stats().Loaded)
		after, _ := held(f)
		require.InDelta(t, before, after, float64(whole)/10)
		for _, key := range keys {
			require.True(t, has(t, db, f, key))
		}
		fs = fs.CrashClone(vfs.CrashCloneCfg{})
		require.NoError(t, errors.Join(f.Close(), db.Close()))
	}
}
