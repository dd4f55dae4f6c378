package pebbleext_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/hotkeys"
	"github.com/gravelkv/gravel/pebbleext/keytrace"
)

// BenchmarkListeners times lookups of absent keys by a Reader that tells
// nobody, in Get-ns, against those that tell a hotkeys.Tracker or a
// keytrace.Recorder. The second of two
// that look up the same keys is faster, hence the line "none" to compare with.
func BenchmarkListeners(b *testing.B) {
	store := newBenchStore(b, pebbleext.Uniform(filterpolicy.Bloom(10)), map[int]int{6: 200_000}, 0.1)
	hot, err := hotkeys.New(0.001)
	require.NoError(b, err)
	trace, err := keytrace.Create(filepath.Join(b.TempDir(), "trace"), keytrace.Settings{})
	require.NoError(b, err)
	silent := pebbleext.ReaderOf(store.db, nil, pebbleext.Options{})
	for name, telling := range map[string]*pebbleext.Reader{
		"none":  pebbleext.ReaderOf(store.db, nil, pebbleext.Options{}),
		"hot":   pebbleext.ReaderOf(store.db, nil, pebbleext.Options{Absent: hot.Add}),
		"trace": pebbleext.ReaderOf(store.db, nil, pebbleext.Options{Asked: trace.Add}),
	} {
		b.Run(name, func(b *testing.B) {
			compareLookups(b, store.lookups["absent"], eachKey(silent.Get), eachKey(telling.Get))
		})
	}
	require.NoError(b, trace.Close())
}
