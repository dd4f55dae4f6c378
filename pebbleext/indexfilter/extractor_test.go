package indexfilter_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

func TestExtractors(t *testing.T) {
	for _, c := range []struct {
		e           indexfilter.Extractor
		key, prefix string
	}{
		{indexfilter.FixedLength(3), "", ""},
		{indexfilter.FixedLength(3), "ab", ""},
		{indexfilter.FixedLength(3), "abc", "abc"},
		{indexfilter.FixedLength(3), "abcd", "abc"},
		{indexfilter.Delimiter('/'), "", ""},
		{indexfilter.Delimiter('/'), "abc", ""},
		{indexfilter.Delimiter('/'), "/", "/"},
		{indexfilter.Delimiter('/'), "a/b/c", "a/"},
		{indexfilter.Delimiter(0xff), "a\xffb", "a\xff"},
	} {
		require.Equal(t, len(c.prefix), c.e.PrefixLength([]byte(c.key)), "%s of %q", c.e, c.key)
	}
}

// TestParseExtractor: ParseExtractor and String are inverse.
func TestParseExtractor(t *testing.T) {
	texts := map[string]indexfilter.Extractor{
		"length:1": indexfilter.FixedLength(1), "length:65535": indexfilter.FixedLength(65535),
		"delimiter:/": indexfilter.Delimiter('/'), "delimiter:0x00": indexfilter.Delimiter(0),
		"delimiter:0x20": indexfilter.Delimiter(' '), "delimiter:0x3b": indexfilter.Delimiter(';'),
		"delimiter:0": indexfilter.Delimiter('0'), "delimiter::": indexfilter.Delimiter(':'),
	}
	for b := range 256 {
		texts[indexfilter.Delimiter(b).String()] = indexfilter.Delimiter(b)
	}
	require.Len(t, texts, 2+256, "no two bytes have one text")
	for text, want := range texts {
		got, err := indexfilter.ParseExtractor(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		require.Equal(t, text, got.String())
	}
	for text, right := range map[string]string{
		"":                "delimiter:/",
		"8":               "length:8",
		"accounts":        "need a program",
		"length:":         "1 to 65535 bytes",
		"length:0":        "1 to 65535 bytes",
		"length:-1":       "1 to 65535 bytes",
		"length:65536":    "1 to 65535 bytes",
		"length:8;x":      "1 to 65535 bytes",
		"delimiter:":      "one character",
		"delimiter:ab":    "one character",
		"delimiter:0x100": "a byte such as 0x3b",
		"delimiter:3b":    "a byte such as 0x3b",
		"delimiter:ü":     "a byte such as 0x3b",
	} {
		_, err := indexfilter.ParseExtractor(text)
		require.ErrorContains(t, err, right, text)
		require.ErrorContains(t, err, strings.TrimPrefix(text, "length:"), text)
	}
}

// kinds is an Extractor of keys of two kinds, and of some without prefix.
type kinds struct{}

func (kinds) String() string { return "kinds" }

func (kinds) PrefixLength(key []byte) int {
	switch {
	case len(key) > 4 && key[0] == 'a':
		return 5
	case len(key) > 2 && key[0] == 'b':
		return 3
	case len(key) > 0 && key[0] == 'x':
		return len(key) + 1 // wrong, and so no prefix
	case len(key) > 0 && key[0] == 'y':
		return -1
	}
	return 0
}

// prefixKeys are some, in order, with 10 keys of each prefix of 6 bytes.
func prefixKeys(n int) (keys [][]byte) {
	for i := range n {
		keys = append(keys, fmt.Appendf(nil, "k%05d/%d", i/10, i%10))
	}
	return keys
}

// TestPrefixFiltersHoldTheirBlocksPrefixes asks every block for the prefix of
// every key, and for as many absent ones, of which one in 256 passes, give or
// take 500 of 150,000 or more: 17 standard deviations.
func TestPrefixFiltersHoldTheirBlocksPrefixes(t *testing.T) {
	e := indexfilter.FixedLength(6)
	opts := options(nil, 8)
	opts.BlockPropertyCollectors = append(opts.BlockPropertyCollectors, indexfilter.PrefixCollector(nil, e))
	for _, format := range []sstable.TableFormat{sstable.TableFormatPebblev4, sstable.TableFormatMax} {
		keys := prefixKeys(20_000)
		tb := write(t, opts, format, keys, 8)
		filters, properties := tb.blocksOf(t, indexfilter.PrefixPropertyName(e))
		require.Equal(t, "length:6", indexfilter.TablePrefixes(properties))
		require.Equal(t, 8, indexfilter.TableBits(properties, nil), "both kinds of filters are in one table")
		size := 0
		for _, filter := range filters {
			size += len(filter)
		}
		prefixes := len(keys)/10 + len(filters) // a prefix may reach into the next block
		require.LessOrEqual(t, float64(size*8)/float64(prefixes), 11., "bits a prefix")
		pass := func(prefix []byte) (n int) {
			f := indexfilter.NewPrefixFilter(e, prefix)
			for _, filter := range filters {
				ok, err := f.Intersects(filter)
				require.NoError(t, err)
				if ok {
					n++
				}
			}
			return n
		}
		passed, asked := 0, 0
		for i := 0; i < len(keys); i += 10 {
			require.Positive(t, pass(keys[i]), "%s", keys[i])
			passed += pass(fmt.Appendf(nil, "q%05d", i))
			asked += len(filters)
		}
		require.InDelta(t, float64(asked)/256, passed, 500)
		t.Logf("%d data blocks, %.1f bits a prefix, %d of %d pass", len(filters), float64(size*8)/float64(prefixes), passed, asked)
	}
}

// TestExtractorsOfOthers: keys without prefix are in no filter, nor are those
// whose prefix has a length that is wrong.
func TestExtractorsOfOthers(t *testing.T) {
	opts := options(nil, 8)
	opts.BlockPropertyCollectors = append(opts.BlockPropertyCollectors, indexfilter.PrefixCollector(nil, kinds{}))
	filters, properties := write(t, opts, sstable.TableFormatMax, [][]byte{
		[]byte("a0001-1"), []byte("a0001-2"), []byte("a0002"), []byte("b01"), []byte("c"), []byte("x"), []byte("y"),
	}, 8).blocksOf(t, indexfilter.PrefixPropertyName(kinds{}))
	require.Equal(t, "kinds", indexfilter.TablePrefixes(properties))
	require.Len(t, filters, 1)
	for _, present := range []string{"a0001", "a0001-1", "a0001-9", "a0002", "b01", "b01234"} {
		ok, err := indexfilter.NewPrefixFilter(kinds{}, []byte(present)).Intersects(filters[0])
		require.NoError(t, err)
		require.True(t, ok, present)
	}
	passed := 0
	for i := range 200 { // of which one passes; that 20 do has a chance below 1e-18
		if ok, _ := indexfilter.NewPrefixFilter(kinds{}, fmt.Appendf(nil, "b%02d", 50+i)).Intersects(filters[0]); ok {
			passed++
		}
	}
	require.Less(t, passed, 20)
	for _, none := range []string{"", "a", "a000", "b", "c", "x", "y"} {
		require.Nil(t, indexfilter.NewPrefixFilter(kinds{}, []byte(none)), none)
	}
}

// TestPrefixesOfSplitKeys: a suffix is no part of a prefix.
func TestPrefixesOfSplitKeys(t *testing.T) {
	e := indexfilter.FixedLength(9)
	opts := options(&cockroachkvs.Comparer, 8)
	opts.BlockPropertyCollectors = append(opts.BlockPropertyCollectors, indexfilter.PrefixCollector(&cockroachkvs.Comparer, e))
	for key, has := range map[string]bool{"8 bytes.": true, "7 bytes": false} { // and a zero
		versioned := cockroachkvs.EncodeMVCCKey(nil, []byte(key), 1<<60, 0)
		filters, _ := write(t, opts, sstable.TableFormatMax, [][]byte{versioned}, 8).blocksOf(t, indexfilter.PrefixPropertyName(e))
		require.Len(t, filters, 1)
		require.Equal(t, has, len(filters[0]) > 0, key)
	}
}

// TestGoldenPrefixes reads a table with prefix filters as it was once written.
func TestGoldenPrefixes(t *testing.T) {
	const path, passed = "testdata/prefixes.sst", 41
	e := indexfilter.Delimiter('/')
	opts := options(nil, 8)
	opts.BlockPropertyCollectors = []func() pebble.BlockPropertyCollector{indexfilter.PrefixCollector(nil, e)}
	keys := prefixKeys(1000)
	if *update {
		require.NoError(t, os.WriteFile(path, write(t, opts, sstable.TableFormatPebblev7, keys, 24).bytes(t), 0o644))
	}
	filters, properties := table{fs: vfs.Default, name: path, opts: opts}.blocksOf(t, "gravel.prefix.delimiter:/")
	require.Equal(t, "delimiter:/", indexfilter.TablePrefixes(properties))
	require.Greater(t, len(filters), 5)
	pass := func(prefix []byte) (n int) {
		f := indexfilter.NewPrefixFilter(e, prefix)
		for _, filter := range filters {
			if ok, _ := f.Intersects(filter); ok {
				n++
			}
		}
		return n
	}
	for _, key := range keys {
		require.Positive(t, pass(key), "%s", key)
	}
	absent := 0
	for i := range 1000 {
		absent += pass(fmt.Appendf(nil, "q%05d/", i))
	}
	if !*update {
		require.Equal(t, passed, absent)
	}
	t.Logf("%d absent prefixes pass", absent)
}
