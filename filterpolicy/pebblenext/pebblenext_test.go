package pebblenext_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/filterpolicy/pebblenext"
)

// decoder is a compile-time check, as the return statement of parse is.
var decoder TableFilterDecoder = pebblenext.NewDecoder(NoFilterPolicy)

func parse(text string) (TableFilterPolicy, error) {
	return pebblenext.Parse(text, NoFilterPolicy)
}

func TestParse(t *testing.T) {
	none, err := parse("none")
	require.NoError(t, err)
	require.Equal(t, NoFilterPolicy, none)
	policy, err := parse("bloom:9.50")
	require.NoError(t, err)
	require.Equal(t, "bloom:9.5", fmt.Sprint(policy))
	_, err = parse("blom:10")
	require.ErrorContains(t, err, `unknown family "blom"; there are bloom`)
}

// TestOneName: the branch stores a block under fullfilter.family, released
// versions under fullfilter.name.
func TestOneName(t *testing.T) {
	policy, err := parse("bloom:10")
	require.NoError(t, err)
	require.Equal(t, filterpolicy.Name, policy.Name())
	require.EqualValues(t, filterpolicy.Name, decoder.Family())
}

func TestWriterIsReused(t *testing.T) {
	policy, err := parse("twochoice:10")
	require.NoError(t, err)
	w := policy.NewWriter()
	for _, keys := range [][]string{{"a", "b"}, {}, {"c"}, {}} {
		for _, key := range keys {
			w.AddKey([]byte(key))
		}
		block, family, ok := w.Finish()
		require.Equal(t, len(keys) > 0, ok)
		if !ok {
			require.Nil(t, block)
			require.Empty(t, family)
			continue
		}
		require.Equal(t, decoder.Family(), family)
		for _, key := range keys {
			require.True(t, decoder.MayContain(block, []byte(key)))
		}
		// Two groups of 8 probes meet at most 18 ones in 512 bits: one false
		// alarm in 10¹¹ runs.
		require.False(t, decoder.MayContain(block, []byte("absent")))
	}
	require.True(t, decoder.MayContain(nil, []byte("key")), "a malformed block")
}

// moreMethods is a later version of Pebble.
type moreMethods interface {
	tableFilterWriter
	Size() int
}

type laterNone struct{}

func (laterNone) Name() string           { return "none" }
func (laterNone) NewWriter() moreMethods { panic("no filters") }

func TestLaterVersion(t *testing.T) {
	_, err := pebblenext.Parse[tableFilterFamily, moreMethods]("bloom:10", laterNone{})
	require.ErrorContains(t, err, "asks for more methods")
}

// joined is the policy and decoder of the branch as one policy of the released
// version, by which the branch's half of a store runs in a real one.
type joined struct {
	TableFilterPolicy
	TableFilterDecoder
}

func (j joined) NewWriter(pebble.FilterType) pebble.FilterWriter {
	return joinedWriter{j.TableFilterPolicy.NewWriter()}
}

func (j joined) MayContain(_ pebble.FilterType, filter, key []byte) bool {
	return j.TableFilterDecoder.MayContain(filter, key)
}

type joinedWriter struct{ tableFilterWriter }

func (w joinedWriter) Finish(dst []byte) []byte {
	block, _, _ := w.tableFilterWriter.Finish()
	return append(dst, block...)
}

// TestSameTables writes a store with the branch's interfaces and reads it with
// the released one's, and the other way round.
func TestSameTables(t *testing.T) {
	for _, text := range []string{"bloom:10", "twochoice:10", "dense:10", "ribbon:7", "compressed:8"} {
		policy, err := parse(text)
		require.NoError(t, err)
		branch := joined{policy, decoder}
		released, err := filterpolicy.Parse(text)
		require.NoError(t, err)
		t.Run(text, func(t *testing.T) {
			t.Run("branch writes", func(t *testing.T) { writeAndRead(t, branch, released) })
			t.Run("branch reads", func(t *testing.T) { writeAndRead(t, released, branch) })
		})
	}
}

func writeAndRead(t *testing.T, writes, reads pebble.FilterPolicy) {
	const keys = 5_000
	key := func(i int) []byte { return fmt.Appendf(nil, "key%06d", i) }
	opts := &pebble.Options{
		FS:                          vfs.NewMem(),
		DisableAutomaticCompactions: true, // tables stay in L0, where Get asks filters
		FormatMajorVersion:          pebble.FormatNewest,
		Logger:                      quiet{},
	}
	opts.Levels[0].FilterPolicy = writes
	db, err := pebble.Open("", opts)
	require.NoError(t, err)
	for i := range keys {
		require.NoError(t, db.Set(key(2*i), key(i), pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())

	opts.Levels[0].FilterPolicy, opts.Filters = reads, nil
	db, err = pebble.Open("", opts)
	require.NoError(t, err)
	for i := range 2*keys - 1 {
		value, closer, err := db.Get(key(i))
		if i%2 == 1 {
			require.ErrorIs(t, err, pebble.ErrNotFound)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, key(i/2), value)
		require.NoError(t, closer.Close())
	}
	m := db.Metrics().Filter
	require.Greater(t, m.Hits, int64(keys*9/10), "filters said no")
	require.GreaterOrEqual(t, m.Misses, int64(keys))
	require.NoError(t, db.Close())
}

// quiet drops what Pebble logs about tables and compactions.
type quiet struct{}

func (quiet) Infof(string, ...any)              {}
func (quiet) Errorf(string, ...any)             {}
func (quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
