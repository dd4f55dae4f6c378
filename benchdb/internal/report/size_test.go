package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSet(t *testing.T) {
	for text, want := range map[string]Size{
		"64MiB": 64 << 20, "64 MiB": 64 << 20, "1.5GB": 1.5e9, "4096": 4096, "0": 0, "8k": 8000, "8ki": 8192,
	} {
		var s Size
		require.NoError(t, s.Set(text), text)
		require.Equal(t, want, s, text)
	}
	for _, text := range []string{"", "MiB", "64XB", "-1MiB", "1e3", "9EiB", "20EiB", "NaN"} {
		var s Size
		require.ErrorContains(t, s.Set(text), "64MiB", text)
	}
}

func TestStringIsInverse(t *testing.T) {
	for _, s := range []Size{0, 1, 1000, 1024, 1536, 64 << 20, 3 << 30, 5 << 40, 1<<63 - 1} {
		var back Size
		require.NoError(t, back.Set(s.String()), s.String())
		require.Equal(t, s, back)
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]Number{"40000": 40_000, "10k": 10_000, "10K": 10_000, "1.5M": 1_500_000, "1G": 1e9, "0": 0} {
		var n Number
		require.NoError(t, n.Set(text), text)
		require.Equal(t, want, n, text)
	}
	for _, text := range []string{"", "ten", "-1", "1.5", "1m", "1MB", "9999P", "NaN", "0x10"} {
		var n Number
		require.ErrorContains(t, n.Set(text), "10k", text)
	}
	ns := Numbers{1}
	require.Error(t, ns.Set("1,"))
	require.Equal(t, "1", ns.String())
	require.NoError(t, ns.Set("10k, 2"))
	require.Equal(t, "10000,2", ns.String())
}
