package replay

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadKeys(t *testing.T) {
	for name, c := range map[string]struct {
		decode Encoding
		text   string
		want   []string
	}{
		"raw":         {nil, "a\n\nb c", []string{"a", "b c"}},
		"hex":         {Hex, "00ff\n6A\n", []string{"\x00\xff", "j"}},
		"base64":      {Base64, "AP8=\n", []string{"\x00\xff"}},
		"raw, binary": {nil, "\x00\xfe\n", []string{"\x00\xfe"}},
	} {
		keys, err := ReadKeys(strings.NewReader(c.text), "file", c.decode)
		require.NoError(t, err, name)
		require.Len(t, keys, len(c.want), name)
		for i, want := range c.want {
			require.Equal(t, want, string(keys[i]), name)
		}
	}
	for text, want := range map[string]string{"": "file: it has no keys", "00\nzz\n": "file: line 2", "0": "line 1"} {
		_, err := ReadKeys(strings.NewReader(text), "file", Hex)
		require.ErrorContains(t, err, want)
	}
}

func FuzzReadKeys(f *testing.F) {
	f.Add([]byte("a\nb"))
	f.Fuzz(func(t *testing.T, key []byte) {
		keys, err := ReadKeys(strings.NewReader(hex.EncodeToString(key)+"\n"), "file", Hex)
		if len(key) == 0 {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, [][]byte{key}, keys)
		_, _ = ReadKeys(bytes.NewReader(key), "file", Base64) // no panic
	})
}
