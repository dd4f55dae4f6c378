package storetest

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
)

// RequireAgree compares every method of got with want's Get, for keys in order.
func RequireAgree(t testing.TB, name string, want pebble.Reader, got *pebbleext.Reader, keys [][]byte) (checks int) {
	var present []int
	for i, key := range keys {
		value, err := Get(t, want, key)
		gotValue, gotErr := Get(t, got, key)
		require.Equal(t, err, gotErr, "%s: Get(%q)", name, key)
		require.Equal(t, value, gotValue, "%s: Get(%q)", name, key)
		has, gotErr := got.Has(key)
		require.NoError(t, gotErr, name)
		require.Equal(t, err == nil, has, "%s: Has(%q)", name, key)
		if err == nil {
			present = append(present, i)
		}
	}
	var many, has []int
	require.NoError(t, got.GetMany(keys, func(i int, gotValue []byte) error {
		value, err := Get(t, want, keys[i])
		require.NoError(t, err, name)
		require.Equal(t, value, append([]byte{}, gotValue...), "%s: GetMany, %q", name, keys[i])
		many = append(many, i)
		return nil
	}))
	require.NoError(t, got.HasMany(keys, func(i int) { has = append(has, i) }))
	require.Equal(t, present, many, name)
	require.Equal(t, present, has, name)
	return 4 * len(keys)
}
