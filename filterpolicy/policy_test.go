package filterpolicy_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/filterpolicy"
)

// policies has a policy of every family.
var policies = []string{
	"bloom:10", "bloom:1%", "bloom:10,layout=flat,scheme=partition", "bloom:10,max=1KiB",
	"twochoice:10", "twochoice:10,layout=flat", "dense:10", "ribbon:7", "compressed:8", "twochoice:10,verify=true",
}

func parse(t testing.TB, text string) *filterpolicy.Policy {
	p, err := filterpolicy.Parse(text)
	require.NoError(t, err)
	return p.(*filterpolicy.Policy)
}

// TestInPebble writes a store with each policy and asks it for present and
// absent keys.
func TestInPebble(t *testing.T) {
	const keys = 20_000
	key := func(i int) []byte { return fmt.Appendf(nil, "key%08d", i) }
	for _, text := range policies {
		t.Run(text, func(t *testing.T) {
			o := &pebble.Options{
				FS: vfs.NewMem(),
				// Tables above L6, where Get asks filters, and many of them.
				DisableAutomaticCompactions: true,
				L0CompactionThreshold:       1000,
				L0StopWritesThreshold:       1000,
				MemTableSize:                64 << 10,
				Logger:                      quiet{},
			}
			o.Levels[0].FilterPolicy = parse(t, text)
			db, err := pebble.Open("", o)
			require.NoError(t, err)
			for i := range keys {
				require.NoError(t, db.Set(key(2*i), key(i), pebble.NoSync))
			}
			require.NoError(t, db.Flush())

			for i := range keys {
				value, closer, err := db.Get(key(2 * i))
				require.NoError(t, err)
				require.Equal(t, key(i), value)
				require.NoError(t, closer.Close())
				_, _, err = db.Get(key(2*i + 1))
				require.ErrorIs(t, err, pebble.ErrNotFound)
			}
			m := db.Metrics()
			require.Greater(t, m.Filter.Hits, int64(keys*9/10), "filters said no")
			require.Greater(t, m.Filter.Misses, int64(keys), "filters said maybe for the present keys")
			require.NoError(t, db.Close())
		})
	}
}

// quiet drops what Pebble logs about tables and compactions.
type quiet struct{ pebble.Logger }

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}

// TestReadsEveryFamily: any policy answers for blocks of any other.
func TestReadsEveryFamily(t *testing.T) {
	for _, writer := range policies {
		w := parse(t, writer).ForLevel(2).NewWriter(pebble.TableFilter)
		w.AddKey([]byte("key"))
		block := w.Finish(nil)
		for _, reader := range policies {
			require.True(t, parse(t, reader).MayContain(pebble.TableFilter, block, []byte("key")))
		}
	}
}

func TestForLevel(t *testing.T) {
	p := parse(t, "bloom:10")
	require.Equal(t, p.String(), p.ForLevel(6).String())
	require.NotEqual(t, p, p.ForLevel(6))
	require.Equal(t, parse(t, "bloom:10"), p, "the policy itself is unchanged")
}

// TestZeroLengthFilter: Pebble stores an empty block for a table that has only
// range deletions.
func TestZeroLengthFilter(t *testing.T) {
	require.True(t, parse(t, "bloom:10").MayContain(pebble.TableFilter, nil, []byte("key")))
	w := parse(t, "bloom:10").NewWriter(pebble.TableFilter)
	require.False(t, blockfilter.MayContain(w.Finish(nil), []byte("key")), "an empty set has no keys")
}

func Example() {
	var opts pebble.Options
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = filterpolicy.Bloom(10)
	}
	fmt.Println(opts.Levels[6].FilterPolicy)
	// Output: bloom:10
}

func TestOnFailure(t *testing.T) {
	failed := func(error) {}
	require.Equal(t, parse(t, "bloom:10"), parse(t, "bloom:10").OnFailure(failed), "there is nothing to report")
	p := parse(t, "bloom:10,verify=true")
	require.NotEqual(t, p, p.OnFailure(failed))
	require.Equal(t, p.String(), p.OnFailure(failed).String())
}
