package indexfilter_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

// rangesOf returns the range filters of a table of keys.
func rangesOf(t testing.TB, comparer *pebble.Comparer, keys [][]byte) (table, [][]byte) {
	opts := options(comparer, 8)
	opts.BlockPropertyCollectors = append(opts.BlockPropertyCollectors, indexfilter.RangeCollector(comparer, 7))
	tb := write(t, opts, sstable.TableFormatMax, keys, 64)
	filters, properties := tb.blocksOf(t, indexfilter.RangePropertyName(comparer))
	require.Equal(t, 7, indexfilter.TableRangeBits(properties, comparer))
	require.Equal(t, 8, indexfilter.TableBits(properties, comparer))
	return tb, filters
}

// intersect counts the filters that a range passes.
func intersect(t testing.TB, f *indexfilter.RangeFilter, filters [][]byte) (n int) {
	for _, filter := range filters {
		may, err := f.Intersects(filter)
		require.NoError(t, err)
		if may {
			n++
		}
	}
	return n
}

// TestRangeFilters: each key is in the range of one block, those between keys in
// that of few, and all are in a range without end.
func TestRangeFilters(t *testing.T) {
	keys := decimalKeys(2000)
	_, filters := rangesOf(t, nil, keys)
	f := indexfilter.NewRangeFilter(nil)
	require.Equal(t, len(filters), intersect(t, f, filters))
	for _, key := range keys {
		f.SetRange(key, append(bytes.Clone(key), 0))
		require.Positive(t, intersect(t, f, filters), "%s", key)
		require.LessOrEqual(t, intersect(t, f, filters), 2)
		f.SetRange(key, nil)
		require.Positive(t, intersect(t, f, filters), "%s", key)
	}
	f.SetRange([]byte("user"), keys[0])
	require.LessOrEqual(t, intersect(t, f, filters), 1, "keys below all")
	f.SetRange([]byte("users"), nil)
	require.LessOrEqual(t, intersect(t, f, filters), 1, "keys above all")
	f.SetRange(nil, nil)
	require.Equal(t, len(filters), intersect(t, f, filters))
}

// TestRangesOfSplitKeys: a range that begins or ends at a version of a key has
// other versions of it, before and after their suffix is replaced.
func TestRangesOfSplitKeys(t *testing.T) {
	comparer := &cockroachkvs.Comparer
	key := func(i int, version uint64) []byte {
		return cockroachkvs.EncodeMVCCKey(nil, fmt.Appendf(nil, "key%05d", 10*i), version, 0)
	}
	var keys [][]byte
	for i := range 500 {
		keys = append(keys, key(i, 5))
	}
	tb, before := rangesOf(t, comparer, keys)

	rewritten, err := tb.fs.Create("rewritten.sst", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, _, err = sstable.RewriteKeySuffixesAndReturnFormat(tb.bytes(t), tb.opts.MakeReaderOptions(),
		objstorageprovider.NewFileWritable(rewritten), tb.opts.MakeWriterOptions(0, sstable.TableFormatMax),
		cockroachkvs.NewTimestampSuffix(5, 0), cockroachkvs.NewTimestampSuffix(9, 0), 2)
	require.NoError(t, err)
	after, _ := table{fs: tb.fs, name: "rewritten.sst", opts: tb.opts}.blocksOf(t, indexfilter.RangePropertyName(comparer))
	require.Equal(t, before, after)

	f := indexfilter.NewRangeFilter(comparer)
	for i := range 500 {
		f.SetRange(key(i, 7), key(i, 3))
		require.Positive(t, intersect(t, f, after), "%d", i)
		f.SetRange(key(i, 0), key(i, 8))
		require.Positive(t, intersect(t, f, after), "%d", i)
	}
}

func TestRangeCollectorRefusesOtherBits(t *testing.T) {
	for _, bits := range []int{-1, 0, 3, 17} {
		require.PanicsWithValue(t, fmt.Sprintf("indexfilter: %d bits of a range filter; 4 to 16 are right", bits),
			func() { indexfilter.RangeCollector(nil, bits) })
	}
}
