package pebbleext_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/remote"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/external"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestReopenedNoticesFalseNegatives: index filters that lack one key in twenty
// make a Reader differ from pebble.DB.Get over the stores that are left.
func TestReopenedNoticesFalseNegatives(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Index))
	noticed, written := false, 0
	for seed := uint64(1); seed <= 20 && !noticed; seed++ {
		m := metamorphicTest{t: t, dir: t.TempDir(), format: keyFormats[0], seed: seed, lookups: 1500}
		m.edit = func(opts *pebble.Options) { forget(opts, oneIn(20, &written)) }
		m.run(pebbleext.Plan{Index: 8})
		m.eachLeft(func(db *pebble.DB, opts *pebble.Options) {
			r := pebbleext.ReaderWith(db, opts, pebbleext.Options{})
			noticed = noticed || differs(t, db, r, m.keys())
		})
	}
	require.True(t, noticed)
}

// compareReaders compares Readers of each way with pebble.DB.Get, over the
// stores that the last run left. Their tables are those of Pebble's own
// operations: excised, ingested, downloaded, virtual, with replaced suffixes.
func (m *metamorphicTest) compareReaders(counter *filterpolicy.Counter) {
	keys := m.keys()
	m.eachLeft(func(db *pebble.DB, opts *pebble.Options) {
		eachWay(func(pointread.Way) {
			r := pebbleext.ReaderWith(db, opts, pebbleext.Options{Counter: counter})
			storetest.RequireAgree(m.t, r.Way(), db, r, keys)
		})
	})
}

// eachLeft opens the stores that the last run left, one after the other.
func (m *metamorphicTest) eachLeft(do func(*pebble.DB, *pebble.Options)) {
	for _, opts := range m.closed {
		opts.Logger, opts.EventListener, opts.DebugCheck = storetest.QuietLogger{}, nil, nil
		if m.remote {
			opts.Experimental.RemoteStorage = remote.MakeSimpleFactory(map[remote.Locator]remote.Storage{
				"":         remote.NewLocalFS("shared", opts.FS),
				"external": remote.NewLocalFS("external", opts.FS),
			})
		}
		external.Watch(opts)
		db := storetest.Open(m.t, "", opts)
		do(db, opts)
		require.NoError(m.t, db.Close())
	}
}

var askedFor = regexp.MustCompile(`(?m)^\w+\.Get\(("[^"]+")\)`)

// keys returns those that the operations get, and absent ones beside them.
func (m *metamorphicTest) keys() [][]byte {
	history, err := os.ReadFile(m.histories[0])
	require.NoError(m.t, err)
	keys := make(map[string][]byte)
	for _, found := range askedFor.FindAllSubmatch(history, -1) {
		text, err := strconv.Unquote(string(found[1]))
		require.NoError(m.t, err)
		at := strings.IndexByte(text+"@", '@')
		for _, text := range []string{text, text[:at] + "x" + text[at:]} {
			keys[text] = m.parse(text)
		}
	}
	return slices.SortedFunc(maps.Values(keys), m.format.Comparer.Compare)
}

// parse returns the key of its text in a history.
func (m *metamorphicTest) parse(text string) []byte {
	if m.format.ParseFormattedKey == nil {
		return []byte(text)
	}
	return m.format.ParseFormattedKey(text)
}
