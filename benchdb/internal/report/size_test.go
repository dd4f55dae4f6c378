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
