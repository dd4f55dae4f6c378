package pebbleext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/hotkeys"
)

// BenchmarkListeners times lookups of absent keys by a Reader that tells
// nobody, in Get-ns, against one that tells a Counter, HotKeys or both. The
// second of two that look up the same keys is faster, hence the line "none" to
// compare with.
func BenchmarkListeners(b *testing.B) {
	store := newBenchStore(b, filterpolicy.Bloom(10), map[int]int{6: 200_000})
	counter := filterpolicy.NewCounter()
	hot, err := hotkeys.New(0.001)
	require.NoError(b, err)
	silent := pebbleext.NewReader(store.db, nil)
	for _, c := range []struct {
		name    string
		options []pebbleext.ReaderOption
	}{
		{"none", nil},
		{"counter", []pebbleext.ReaderOption{pebbleext.WithCounter(counter)}},
		{"hot", []pebbleext.ReaderOption{pebbleext.WithAbsentKeys(hot.Add)}},
		{"both", []pebbleext.ReaderOption{pebbleext.WithCounter(counter), pebbleext.WithAbsentKeys(hot.Add)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			telling := pebbleext.NewReader(store.db, nil, c.options...)
			compareLookups(b, store.lookups["absent"], eachKey(silent.Get), eachKey(telling.Get))
		})
	}
}
