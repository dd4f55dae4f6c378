// Package replay looks up given keys in a store that exists, measured and
// forecast.
package replay

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// Encoding is how a line holds a key.
type Encoding func(line []byte) ([]byte, error)

// The encodings of keys.
var (
	Raw    Encoding = func(line []byte) ([]byte, error) { return bytes.Clone(line), nil }
	Hex    Encoding = func(line []byte) ([]byte, error) { return hex.AppendDecode(nil, line) }
	Base64 Encoding = func(line []byte) ([]byte, error) { return base64.StdEncoding.AppendDecode(nil, line) }
)

// maxLine is more than Pebble allows a key to have in hexadecimal digits.
const maxLine = 64 << 20

// ReadKeys reads keys, one a line; empty lines are skipped. The file's name is
// for errors.
func ReadKeys(r io.Reader, name string, decode Encoding) (keys [][]byte, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		key, err := decode(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %.40q: %w", name, n, lines.Bytes(), err)
		}
		keys = append(keys, key)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(keys) == 0 {
		return nil, errors.New(name + " has no keys")
	}
	return keys, nil
}
