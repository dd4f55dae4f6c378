package refilter

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/remote"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/manifest"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestTablesWithoutPointKeys need no filter, whatever the plan.
func TestTablesWithoutPointKeys(t *testing.T) {
	opts := storetest.Options(vfs.NewMem(), nil)
	opts.DisableAutomaticCompactions = true
	pebbleext.Apply(opts, pebbleext.Options{Plan: storetest.ParsePlan(t, "bloom:10")})
	db := storetest.Open(t, "db", opts)
	storetest.Fill(t, db, 10, 10)
	require.NoError(t, db.DeleteRange([]byte("key00003"), []byte("key00005"), nil))
	require.NoError(t, db.Flush())
	require.NoError(t, db.RangeKeySet([]byte("key00003"), []byte("key00005"), nil, []byte("v"), nil))
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
	for text, pending := range map[string]int{"bloom:10": 0, "bloom:11": 1} {
		report, err := Run(t.Context(), "db", opts, storetest.ParsePlan(t, text), Settings{DryRun: true})
		require.NoError(t, err)
		require.Equal(t, 3, report.Tables)
		require.Equal(t, pending, report.Pending, text)
	}
}

// TestStaleMarks puts marks into the MANIFEST of a store, as one that was
// interrupted may have. Only those of a step count.
func TestStaleMarks(t *testing.T) {
	fs := vfs.NewMem()
	s := newOldStore(t, fs, "db", storetest.KeySpaces()["whole keys"], nil, false, 12)
	survey := newSurvey("db", s.opts, storetest.ParsePlan(t, "bloom:10"))
	pending, err := survey.pending(t.Context())
	require.NoError(t, err)
	desc, err := ondisk.Peek("db", fs)
	require.NoError(t, err)
	all := map[uint64]bool{}
	for _, table := range survey.tables {
		all[table.number] = true
	}
	var marked bytes.Buffer
	require.NoError(t, manifest.Mark(bytes.NewReader(read(t, fs, desc.ManifestFilename)), &marked, all))
	write(t, fs, desc.ManifestFilename, marked.Bytes())
	marks := func(fs vfs.FS) int {
		opts := s.opts.Clone()
		opts.ReadOnly, opts.FS = true, fs
		db := storetest.Open(t, "db", opts)
		defer func() { require.NoError(t, db.Close()) }()
		return db.Metrics().Compact.MarkedFiles
	}
	require.Equal(t, len(all), marks(fs))
	require.Equal(t, 1, marks(markingFS(fs, pending[:1], nil)))
	s.resume(t, fs, "db", storetest.ParsePlan(t, "bloom:10"))
}

// fullDisk is a disk with so many bytes left.
type fullDisk struct {
	vfs.FS
	left uint64
}

func (d fullDisk) Unwrap() vfs.FS { return d.FS }

func (d fullDisk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: d.left, TotalBytes: 1 << 40}, nil
}

// TestDiskSpace leaves as much as the tables of a step and all filters take, or
// a byte less.
func TestDiskSpace(t *testing.T) {
	fs := vfs.NewMem()
	s := newOldStore(t, fs, "db", storetest.KeySpaces()["whole keys"], nil, true, 13)
	plan := storetest.ParsePlan(t, "bloom:10")
	report, err := Run(t.Context(), "db", s.opts, plan, Settings{DryRun: true})
	require.NoError(t, err)
	need := report.PendingBytes + report.PendingBytes/16
	before := listing(t, fs)
	opts := s.opts.Clone()
	opts.FS = fullDisk{fs, uint64(need) - 1}
	_, err = Run(t.Context(), "db", opts, plan, Settings{})
	require.ErrorContains(t, err, "bytes free")
	require.ElementsMatch(t, before, listing(t, fs), "nothing is written")
	opts.FS = fullDisk{fs, uint64(need)}
	_, err = Run(t.Context(), "db", opts, plan, Settings{})
	require.NoError(t, err)
	s.checkFiltered(t, fs, "db", plan)
}

// TestSharedTables has tables to rewrite in object storage.
func TestSharedTables(t *testing.T) {
	opts := storetest.Options(vfs.NewMem(), nil)
	opts.Experimental.RemoteStorage = remote.MakeSimpleFactory(map[remote.Locator]remote.Storage{"": remote.NewInMem()})
	opts.Experimental.CreateOnShared = remote.CreateOnSharedAll
	db := storetest.Open(t, "db", opts)
	require.NoError(t, db.SetCreatorID(1))
	storetest.Fill(t, db, 10, 10)
	require.NoError(t, db.Close())
	for text, refused := range map[string]bool{"none": false, "bloom:10": true} {
		_, err := Run(t.Context(), "db", opts, storetest.ParsePlan(t, text), Settings{})
		require.Equal(t, refused, errors.Is(err, pebbleext.ErrRefused), "%v", err)
		if refused {
			require.ErrorContains(t, err, "is in shared or external storage")
		}
	}
}

func TestMinRate(t *testing.T) {
	s := newOldStore(t, vfs.NewMem(), "db", storetest.KeySpaces()["whole keys"], nil, true, 14)
	s.opts.DisableAutomaticCompactions = false
	plan := storetest.ParsePlan(t, "bloom:10")
	for rate, ok := range map[int64]bool{-1: false, 0: true, 1: false, MinRate - 1: false, MinRate: true} {
		_, err := Run(t.Context(), "db", s.opts, plan, Settings{DryRun: true, BytesPerSecond: rate})
		require.Equal(t, ok, err == nil, "%d: %v", rate, err)
		_, err = InBackground("db", s.opts.Clone(), plan, rate)
		require.Equal(t, ok, err == nil, "%d: %v", rate, err)
	}
}

// TestOptionsAreNotChanged, those within the caller's pointers included.
func TestOptionsAreNotChanged(t *testing.T) {
	s := newOldStore(t, vfs.NewMem(), "db", storetest.KeySpaces()["whole keys"], nil, true, 15)
	s.opts.EventListener = &pebble.EventListener{}
	_, err := Run(t.Context(), "db", s.opts, storetest.ParsePlan(t, "bloom:10"), Settings{})
	require.NoError(t, err)
	require.Nil(t, s.opts.EventListener.DataCorruption)
	require.Nil(t, s.opts.Lock)
	require.True(t, s.opts.DisableAutomaticCompactions)
}

// TestIndexFilters adds index and prefix filters to tables, changes them, and
// takes them away.
func TestIndexFilters(t *testing.T) {
	for name, keys := range storetest.KeySpaces() {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			s := newOldStore(t, fs, "db", keys, nil, false, 16)
			for _, text := range []string{
				"bloom:10;index=8", "bloom:10;index=6;prefix=length:5", "bloom:10;index=6;prefix=length:6", "bloom:10;range=7", "bloom:10",
			} {
				plan := storetest.ParsePlan(t, text)
				report, err := Run(t.Context(), "db", s.opts, plan, Settings{})
				require.NoError(t, err)
				require.Positive(t, report.Done)
				again, err := Run(t.Context(), "db", s.opts, plan, Settings{})
				require.NoError(t, err)
				require.Zero(t, again.Pending)
				s.checkFiltered(t, fs, "db", plan)

				opts := s.opts.Clone()
				opts.ReadOnly = true
				db := storetest.Open(t, "db", opts)
				levels, err := db.SSTables(pebble.WithProperties())
				require.NoError(t, err)
				for _, tables := range levels {
					for _, table := range tables {
						if p := table.Properties; p.NumEntries > p.NumRangeDeletions {
							require.Equal(t, plan.Index, indexfilter.TableBits(p.UserProperties, keys.Comparer))
							require.Equal(t, plan.Range, indexfilter.TableRangeBits(p.UserProperties, keys.Comparer))
							_, prefixes, _ := strings.Cut(text, "prefix=")
							require.Equal(t, prefixes, indexfilter.TablePrefixes(p.UserProperties))
						}
					}
				}
				require.NoError(t, db.Close())
			}
		})
	}
}
