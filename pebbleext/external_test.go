package pebbleext_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/objstorage/remote"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestReaderOverExternalTables: a table in remote storage shows its keys with a
// prefix and a suffix that it was not written with. Index filters hold the keys
// that were written, so that a Reader must not ask them. Its own copies of the
// keys, without the prefix, are in the store, too.
func TestReaderOverExternalTables(t *testing.T) {
	storage := remote.NewInMem()
	opts := storetest.Options(vfs.NewMem(), nil)
	storetest.KeySpaces()["split keys"].SetOptions(opts)
	opts.Experimental.RemoteStorage = remote.MakeSimpleFactory(map[remote.Locator]remote.Storage{"": storage})
	plan := pebbleext.Uniform(filterpolicy.Bloom(10))
	plan.Index, plan.Prefix, plan.Range = 16, indexfilter.FixedLength(6), 16
	storetest.Apply(opts, plan)
	db := storetest.Open(t, "", opts)
	defer func() { require.NoError(t, db.Close()) }()
	require.NoError(t, db.SetCreatorID(1))
	options := pebbleext.Options{Plan: plan}
	readers := map[string]*pebbleext.Reader{}
	eachWay(func(way pointread.Way) {
		readers["opened before, "+way.String()] = pebbleext.ReaderWith(db, opts, options)
	})

	// The table has version 5 of its keys.
	name, size := "external.sst", writeExternal(t, storage, opts, db.TableFormat())
	for _, external := range []pebble.ExternalFile{
		{StartKey: []byte("key"), EndKey: []byte("kez")},
		{StartKey: []byte("pkey"), EndKey: []byte("pkez"), SyntheticPrefix: []byte("p")},
		{StartKey: []byte("qkey"), EndKey: []byte("qkez"), SyntheticPrefix: []byte("q"), SyntheticSuffix: cockroachkvs.NewTimestampSuffix(9, 0)},
	} {
		external.ObjName, external.Size, external.HasPointKey = name, size, true
		external.StartKey = cockroachkvs.EncodeMVCCKey(nil, external.StartKey, 0, 0)
		external.EndKey = cockroachkvs.EncodeMVCCKey(nil, external.EndKey, 0, 0)
		_, err := db.IngestExternalFiles(t.Context(), []pebble.ExternalFile{external})
		require.NoError(t, err)
	}

	var keys [][]byte
	present := 0
	for _, prefix := range []string{"", "p", "q", "r"} {
		for i := range 2 * externalKeys {
			for _, version := range []uint64{9, 5} { // in order
				key := externalKey(prefix, i, version)
				keys = append(keys, key)
				if storetest.Closed(db.Get(key)) == nil {
					present++
				}
			}
		}
	}
	require.Equal(t, 3*externalKeys, present)
	eachWay(func(way pointread.Way) {
		readers["opened after, "+way.String()] = pebbleext.ReaderWith(db, opts, options)
	})
	snapshot := db.NewSnapshot()
	for name, reader := range readers {
		storetest.RequireAgree(t, name, db, reader, keys)
		storetest.RequireAgree(t, name+", snapshot", snapshot, reader.Over(snapshot), keys)
		requireScans(t, reader)
	}
	require.NoError(t, snapshot.Close())
}

// requireScans compares scans of prefixes, which are 6 bytes of a key as the
// table has it or as it shows it, and of the same ranges.
func requireScans(t *testing.T, r *pebbleext.Reader) {
	for _, prefix := range []string{"", "p", "q", "r"} {
		for i := range externalKeys / 5 {
			begin := fmt.Appendf(nil, "%skey%03d", prefix, i)
			want := 5
			if prefix == "r" {
				want = 0
			}
			iter, err := r.NewPrefixIter(begin, nil)
			require.NoError(t, err)
			require.Equal(t, want, countKeys(t, iter), "%q", begin)
			iter, err = r.NewBoundedIter(&pebble.IterOptions{
				LowerBound: cockroachkvs.EncodeMVCCKey(nil, begin, 0, 0),
				UpperBound: cockroachkvs.EncodeMVCCKey(nil, append(begin, ':'), 0, 0),
			})
			require.NoError(t, err)
			require.Equal(t, want, countKeys(t, iter), "%q", begin)
		}
	}
}

func countKeys(t *testing.T, iter *pebbleext.BoundedIter) (n int) {
	for iter.First(); iter.Valid(); iter.Next() {
		n++
	}
	require.NoError(t, iter.Close())
	return n
}

const externalKeys = 300

func externalKey(prefix string, i int, version uint64) []byte {
	return cockroachkvs.EncodeMVCCKey(nil, fmt.Appendf(nil, "%skey%04d", prefix, i), version, 0)
}

// writeExternal writes a table with every second key, and returns its size.
func writeExternal(t *testing.T, storage remote.Storage, opts *pebble.Options, format sstable.TableFormat) uint64 {
	opts = opts.Clone()
	opts.EnsureDefaults()
	object, err := storage.CreateObject("external.sst")
	require.NoError(t, err)
	w := sstable.NewWriter(objstorageprovider.NewRemoteWritable(object), opts.MakeWriterOptions(6, format))
	for i := range externalKeys {
		require.NoError(t, w.Set(externalKey("", 2*i, 5), fmt.Appendf(nil, "value %d", i)))
	}
	require.NoError(t, w.Close())
	info, err := w.Raw().Metadata()
	require.NoError(t, err)
	return info.Size
}
