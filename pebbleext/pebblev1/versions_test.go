package pebblev1_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble"
	pebblev2 "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
)

// TestBothVersions opens one store with both versions of Pebble: tables that
// one wrote are read by the other, with their filters.
func TestBothVersions(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables))
	const keys = 5_000
	for _, text := range policies {
		t.Run(text, func(t *testing.T) {
			dir := t.TempDir()
			opts := storeOptions(vfs.Default, parse(t, text))
			opts.FormatMajorVersion = pebble.FormatFlushableIngest // the least of v2
			db, err := pebble.Open(dir, opts)
			require.NoError(t, err)
			fill(t, db, keys)
			require.NoError(t, db.Close())

			lookUpInV2(t, dir, text, keys)

			db, reader := open(t, dir, opts)
			no, maybe := asked(db, func() {
				for i := 2 * keys; i < 4*keys-1; i++ {
					has, err := reader.Has(key(i))
					require.NoError(t, err)
					require.Equal(t, i%2 == 0, has)
				}
			})
			require.Greater(t, no, int64(keys*9/10), "filters that v2 wrote said no")
			require.GreaterOrEqual(t, maybe, int64(keys))
		})
	}
}

// lookUpInV2 opens a store with v2 and looks up the keys that v1 wrote, and
// those between; then it writes as many keys behind them.
func lookUpInV2(t *testing.T, dir, text string, keys int) {
	policy, err := filterpolicy.Parse(text)
	require.NoError(t, err)
	opts := &pebblev2.Options{FormatMajorVersion: pebblev2.FormatFlushableIngest, Logger: quietV2{}}
	db, err := pebbleext.Open(dir, opts, pebbleext.Options{Plan: pebbleext.Uniform(policy)})
	require.NoError(t, err)
	for i := range 2*keys - 1 {
		value, closer, err := db.Get(key(i))
		if i%2 == 1 {
			require.Equal(t, pebblev2.ErrNotFound, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, key(i/2), value)
		require.NoError(t, closer.Close())
	}
	m := db.Metrics().Filter
	require.Greater(t, m.Hits, int64(keys*9/10), "filters that v1 wrote said no")
	require.GreaterOrEqual(t, m.Misses, int64(keys))

	for i := keys; i < 2*keys; i++ {
		require.NoError(t, db.Set(key(2*i), nil, pebblev2.NoSync))
	}
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
}

type quietV2 struct{ quiet }

func (quietV2) Errorf(string, ...any) {}

// TestNoVersionBringsTheOther: who imports one version's packages compiles
// nothing of the other's.
func TestNoVersionBringsTheOther(t *testing.T) {
	for packages, other := range map[string]string{
		"./filterpolicy ./pebbleext ./benchdb": "github.com/cockroachdb/pebble/sstable",
		"./filterpolicy/pebblev1":              "github.com/cockroachdb/pebble/v2/sstable",
		"./pebbleext/pebblev1":                 "github.com/cockroachdb/pebble/v2/sstable",
	} {
		list := exec.Command("go", append([]string{"list", "-deps"}, strings.Fields(packages)...)...)
		list.Dir = "../.."
		deps, err := list.Output()
		require.NoError(t, err)
		require.NotContains(t, strings.Fields(string(deps)), other, packages)
	}
}
