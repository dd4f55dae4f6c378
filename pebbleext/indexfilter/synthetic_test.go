package indexfilter_test

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/remote"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestSyntheticPrefixes: a table with a synthetic prefix holds keys that its
// index filters deny, and only a store with remote storage can have one.
func TestSyntheticPrefixes(t *testing.T) {
	for _, withRemote := range []bool{false, true} {
		opts := options(pebble.DefaultComparer, 16)
		opts.FS = vfs.NewMem()
		opts.Logger = storetest.QuietLogger{}
		opts.FormatMajorVersion = pebble.FormatNewest
		storage := remote.NewInMem()
		if withRemote {
			opts.Experimental.RemoteStorage = remote.MakeSimpleFactory(map[remote.Locator]remote.Storage{"": storage})
		}
		db, err := pebble.Open("", opts)
		require.NoError(t, err)
		require.Equal(t, withRemote, indexfilter.SyntheticPrefixes(db))
		if withRemote {
			require.NoError(t, db.SetCreatorID(1))
			ingestWithPrefix(t, db, storage, opts)
			_, closer, err := db.Get([]byte("p/user0000000000000000007"))
			require.NoError(t, err)
			require.NoError(t, closer.Close())
			require.False(t, seek(t, db, []byte("p/user0000000000000000007")), "what SyntheticPrefixes warns of")
		}
		require.NoError(t, db.Close())
	}
}

// ingestWithPrefix ingests a table whose keys get a prefix.
func ingestWithPrefix(t *testing.T, db *pebble.DB, storage remote.Storage, opts *pebble.Options) {
	bytes := write(t, opts, sstable.TableFormatMax, decimalKeys(100), 64).bytes(t)
	object, err := storage.CreateObject("external.sst")
	require.NoError(t, err)
	_, err = object.Write(bytes)
	require.NoError(t, err)
	require.NoError(t, object.Close())
	_, err = db.IngestExternalFiles(t.Context(), []pebble.ExternalFile{{
		ObjName:         "external.sst",
		Size:            uint64(len(bytes)),
		StartKey:        []byte("p/user"),
		EndKey:          []byte("p/usez"),
		HasPointKey:     true,
		SyntheticPrefix: []byte("p/"),
	}})
	require.NoError(t, err)
}

// seek reports whether an iterator with index filters finds a key.
func seek(t *testing.T, db *pebble.DB, key []byte) bool {
	f := indexfilter.NewFilter(nil)
	f.SetPrefix(key)
	iter, err := db.NewIter(&pebble.IterOptions{
		LowerBound:      key,
		UpperBound:      append(append([]byte{}, key...), 0),
		PointKeyFilters: []pebble.BlockPropertyFilter{f},
	})
	require.NoError(t, err)
	found := iter.SeekGE(key)
	require.NoError(t, iter.Close())
	return found
}
