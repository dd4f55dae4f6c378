package indexfilter_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

// table is an SSTable in memory.
type table struct {
	fs   vfs.FS
	name string
	opts *pebble.Options
}

// options are those of a store with index filters.
func options(comparer *pebble.Comparer, bits int) *pebble.Options {
	opts := &pebble.Options{
		Comparer:                comparer,
		BlockPropertyCollectors: []func() pebble.BlockPropertyCollector{indexfilter.Collector(comparer, bits)},
		Levels:                  [7]pebble.LevelOptions{{BlockSize: 4 << 10, IndexBlockSize: 4 << 10}},
	}
	if comparer == &cockroachkvs.Comparer {
		opts.KeySchema = cockroachkvs.KeySchema.Name
		opts.KeySchemas = sstable.MakeKeySchemas(&cockroachkvs.KeySchema)
	}
	opts.EnsureDefaults()
	return opts
}

// write writes a table of keys, which are in order.
func write(t testing.TB, opts *pebble.Options, format sstable.TableFormat, keys [][]byte, valueSize int) table {
	tb := table{fs: vfs.NewMem(), name: "t.sst", opts: opts}
	file, err := tb.fs.Create(tb.name, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(file), opts.MakeWriterOptions(0, format))
	value := make([]byte, valueSize)
	for i, key := range keys {
		binary.LittleEndian.PutUint64(value, rand.New(rand.NewPCG(uint64(i), 0)).Uint64())
		require.NoError(t, w.Set(key, value))
	}
	require.NoError(t, w.Close())
	return tb
}

// bytes returns the table's file.
func (tb table) bytes(t testing.TB) []byte {
	file, err := tb.fs.Open(tb.name)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	stat, err := file.Stat()
	require.NoError(t, err)
	bytes := make([]byte, stat.Size())
	_, err = file.ReadAt(bytes, 0)
	require.NoError(t, err)
	return bytes
}

// blocks returns what the data blocks of a table have as their index filter.
func (tb table) blocks(t testing.TB) (filters [][]byte, userProperties map[string]string) {
	return tb.blocksOf(t, indexfilter.PropertyName(tb.opts.Comparer))
}

// blocksOf returns what the data blocks of a table have as some property.
func (tb table) blocksOf(t testing.TB, name string) (filters [][]byte, userProperties map[string]string) {
	file, err := tb.fs.Open(tb.name)
	require.NoError(t, err)
	readable, err := sstable.NewSimpleReadable(file)
	require.NoError(t, err)
	r, err := sstable.NewReader(t.Context(), readable, tb.opts.MakeReaderOptions())
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	layout, err := r.Layout()
	require.NoError(t, err)
	id, ok := r.UserProperties[name]
	for _, block := range layout.Data {
		var filter []byte
		if ok {
			filter = property(block.Props, id[0])
		}
		filters = append(filters, filter)
	}
	return filters, r.UserProperties
}

// property returns the property of an id among the properties of a block, which
// are encoded as id, length, bytes.
func property(properties []byte, id byte) []byte {
	for len(properties) > 0 {
		n, size := binary.Uvarint(properties[1:])
		value := properties[1+size : 1+size+int(n)]
		if properties[0] == id {
			return value
		}
		properties = properties[1+size+int(n):]
	}
	return nil
}

func decimalKeys(n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "user%019d", i*7)
	}
	return keys
}

// TestFiltersHoldTheirBlocksKeys writes tables with few and many keys a block,
// in every format, and asks every block for every key: one must have it, and as
// many others as fingerprints of 8 bits let pass. The bound on those is above
// five standard deviations: a false alarm has a chance of 6e-7 a row.
func TestFiltersHoldTheirBlocksKeys(t *testing.T) {
	for _, c := range []struct {
		name               string
		format             sstable.TableFormat
		valueSize, perhaps int
		mostBits           float64
	}{
		{"row blocks, 40 keys", sstable.TableFormatPebblev4, 64, 40, 10},
		{"columnar, 40 keys", sstable.TableFormatMax, 64, 40, 10},
		{"columnar, 4 keys", sstable.TableFormatMax, 1000, 4, 13},
		{"columnar, one key", sstable.TableFormatMax, 5000, 1, 24},
		{"columnar, 250 keys", sstable.TableFormatMax, 8, 250, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			keys := decimalKeys(2000)
			tb := write(t, options(nil, 8), c.format, keys, c.valueSize)
			filters, properties := tb.blocks(t)
			require.Equal(t, 8, indexfilter.TableBits(properties, nil))
			require.InDelta(t, c.perhaps, float64(len(keys))/float64(len(filters)), float64(c.perhaps)*0.6)
			f := indexfilter.NewFilter(nil)
			size, others := 0, 0
			for _, filter := range filters {
				size += len(filter)
			}
			for _, key := range keys {
				f.SetPrefix(key)
				passed := 0
				for _, filter := range filters {
					if ok, err := f.Intersects(filter); ok {
						require.NoError(t, err)
						passed++
					}
				}
				require.Positive(t, passed, "%s is in some block", key)
				others += passed - 1
			}
			require.LessOrEqual(t, float64(size*8)/float64(len(keys)), c.mostBits, "bits a key")
			asked := float64(len(keys) * (len(filters) - 1))
			require.InDelta(t, asked/256, others, 80+asked/256/10)
		})
	}
}

// TestVersionsCountOnce: a filter holds prefixes, whatever versions they have.
func TestVersionsCountOnce(t *testing.T) {
	var keys [][]byte
	for i := range 500 {
		prefix := fmt.Appendf(nil, "key%05d", i)
		for version := uint64(9); version > 0; version-- { // newest first
			keys = append(keys, cockroachkvs.EncodeMVCCKey(nil, prefix, version, 0))
		}
	}
	opts := options(&cockroachkvs.Comparer, 8)
	tb := write(t, opts, sstable.TableFormatMax, keys, 64)
	filters, properties := tb.blocks(t)
	require.Equal(t, 8, indexfilter.TableBits(properties, &cockroachkvs.Comparer))
	require.Zero(t, indexfilter.TableBits(properties, nil), "prefixes of another comparer")
	size := 0
	for _, filter := range filters {
		size += len(filter)
	}
	require.Less(t, size*8, 500*16)
	f := indexfilter.NewFilter(&cockroachkvs.Comparer)
	for _, key := range keys {
		f.SetPrefix(cockroachkvs.Comparer.Split.Prefix(key))
		found := false
		for _, filter := range filters {
			ok, err := f.Intersects(filter)
			require.NoError(t, err)
			found = found || ok
		}
		require.True(t, found)
	}
}

// TestSuffixReplacementKeepsFilters rewrites the suffix of a table's keys, of
// which Pebble gives a collector the old properties alone.
func TestSuffixReplacementKeepsFilters(t *testing.T) {
	old, replacement := cockroachkvs.NewTimestampSuffix(5, 0), cockroachkvs.NewTimestampSuffix(9, 0)
	var keys [][]byte
	for i := range 500 {
		keys = append(keys, cockroachkvs.EncodeMVCCKey(nil, fmt.Appendf(nil, "key%05d", i), 5, 0))
	}
	opts := options(&cockroachkvs.Comparer, 8)
	tb := write(t, opts, sstable.TableFormatMax, keys, 64)
	before, _ := tb.blocks(t)

	rewritten, err := tb.fs.Create("rewritten.sst", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, _, err = sstable.RewriteKeySuffixesAndReturnFormat(tb.bytes(t), opts.MakeReaderOptions(),
		objstorageprovider.NewFileWritable(rewritten), opts.MakeWriterOptions(0, sstable.TableFormatMax), old, replacement, 2)
	require.NoError(t, err)

	after, properties := table{fs: tb.fs, name: "rewritten.sst", opts: opts}.blocks(t)
	require.Equal(t, before, after)
	require.Equal(t, 8, indexfilter.TableBits(properties, &cockroachkvs.Comparer))
}

func TestCollectorRefusesOtherBits(t *testing.T) {
	for _, bits := range []int{-1, 0, indexfilter.MinBits - 1, indexfilter.MaxBits + 1} {
		require.PanicsWithValue(t, fmt.Sprintf("indexfilter: %d bits a fingerprint; 4 to 16 are right", bits),
			func() { indexfilter.Collector(nil, bits) })
	}
	for _, bits := range []int{indexfilter.MinBits, indexfilter.MaxBits} {
		require.NotPanics(t, func() { indexfilter.Collector(nil, bits) })
	}
}

// TestEmptyKey: an index filter holds an empty prefix, as any other.
func TestEmptyKey(t *testing.T) {
	collector := indexfilter.Collector(nil, 16)()
	require.NoError(t, collector.AddPointKey(sstable.InternalKey{}, nil))
	filter, err := collector.FinishDataBlock(nil)
	require.NoError(t, err)
	require.NotEmpty(t, filter)
	f := indexfilter.NewFilter(nil)
	for _, c := range []struct {
		prefix []byte
		want   bool
	}{{[]byte{}, true}, {[]byte("key"), false}, {nil, true}} { // nil is for all keys
		f.SetPrefix(c.prefix)
		ok, err := f.Intersects(filter)
		require.NoError(t, err)
		require.Equal(t, c.want, ok, "%q", c.prefix)
	}
	f.SetPrefix(nil)
	filter, err = indexfilter.Collector(nil, 16)().FinishDataBlock(nil)
	require.NoError(t, err)
	ok, err := f.Intersects(filter)
	require.NoError(t, err)
	require.True(t, ok)
}

// TestOtherPropertiesMayContain: an index block's property is empty, a table's
// is no filter.
func TestOtherPropertiesMayContain(t *testing.T) {
	f := indexfilter.NewFilter(nil)
	f.SetPrefix([]byte("key"))
	_, properties := write(t, options(nil, 16), sstable.TableFormatMax, decimalKeys(3), 8).blocks(t)
	ofTable := properties[indexfilter.PropertyName(nil)]
	for _, property := range [][]byte{nil, {}, []byte(ofTable[1:])} {
		for _, ask := range []func() (bool, error){
			func() (bool, error) { return f.Intersects(property) },
			func() (bool, error) { return f.SyntheticSuffixIntersects(property, []byte("@9")) },
		} {
			ok, err := ask()
			require.NoError(t, err)
			require.True(t, ok, "%q", property)
		}
	}
}

// FuzzIntersects: bytes of an adversary give an answer, never a panic.
func FuzzIntersects(f *testing.F) {
	tb := write(f, options(nil, 8), sstable.TableFormatMax, decimalKeys(200), 64)
	filters, _ := tb.blocks(f)
	for _, filter := range append(filters, nil, []byte{8}, make([]byte, 3)) {
		f.Add(filter, []byte("user0000000000000000007"))
	}
	f.Fuzz(func(t *testing.T, property, key []byte) {
		filter := indexfilter.NewFilter(nil)
		filter.SetPrefix(key)
		_, err := filter.Intersects(property)
		require.NoError(t, err)
	})
}
