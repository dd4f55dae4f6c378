package indexfilter_test

import (
	"flag"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

var update = flag.Bool("update", false, "write the golden tables anew")

// TestGolden reads tables as they were once written: the name of the property,
// the table's and the blocks'. How many absent keys pass pins their bits.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name   string
		format sstable.TableFormat
		passed int
	}{
		{"rowblocks.sst", sstable.TableFormatPebblev4, 163},
		{"columnar.sst", sstable.TableFormatPebblev7, 158},
	} {
		path := "testdata/" + c.name
		keys := decimalKeys(2000)
		present, absent := keys[:300], keys[300:]
		opts := options(nil, 5)
		if *update {
			tb := write(t, opts, c.format, present, 24)
			require.NoError(t, os.WriteFile(path, tb.bytes(t), 0o644))
		}
		filters, properties := table{fs: vfs.Default, name: path, opts: opts}.blocks(t)
		require.Equal(t, 5, indexfilter.TableBits(properties, nil))
		f := indexfilter.NewFilter(nil)
		pass := func(key []byte) (n int) {
			f.SetPrefix(key)
			for _, filter := range filters {
				if ok, err := f.Intersects(filter); ok {
					require.NoError(t, err)
					n++
				}
			}
			return n
		}
		for _, key := range present {
			require.Positive(t, pass(key), "%s", key)
		}
		passed := 0
		for _, key := range absent {
			passed += pass(key)
		}
		if !*update {
			require.Equal(t, c.passed, passed, c.name)
		}
		t.Logf("%d of %d absent keys pass in %s", passed, len(absent), c.name)
	}
}
