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

	"github.com/gravelkv/gravel/pebbleext/keytrace"
)

// Encoding is how a line holds a key; nil, as it is.
type Encoding func(dst, line []byte) ([]byte, error)

// The other encodings of keys.
var (
	Hex    Encoding = hex.AppendDecode
	Base64 Encoding = base64.StdEncoding.AppendDecode
)

// maxLine is more than Pebble allows a key to have in hexadecimal digits.
const maxLine = 64 << 20

// ReadKeys reads keys, those of a key trace or one a line; empty lines are
// skipped. The file's name is for errors. With keytrace.ErrCut there are keys.
func ReadKeys(r io.Reader, name string, decode Encoding) (keys [][]byte, err error) {
	file := bufio.NewReaderSize(r, 64<<10)
	head, _ := file.Peek(len(keytrace.Magic)) // a file may be shorter, and fails when it is read
	switch {
	case string(head) != keytrace.Magic:
		keys, err = readLines(file, decode)
	case decode != nil:
		err = errors.New("it is a key trace, whose keys are as they are")
	default:
		keys, err = readTrace(file)
	}
	if err == nil && len(keys) == 0 {
		err = errors.New("it has no keys")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return keys, err
}

func readTrace(r io.Reader) (keys [][]byte, err error) {
	for key, err := range keytrace.Keys(r) {
		if err != nil {
			return keys, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func readLines(r io.Reader, decode Encoding) (keys [][]byte, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := bytes.Clone(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if decode != nil {
			if line, err = decode(nil, line); err != nil {
				return nil, fmt.Errorf("line %d: %.40q: %w", n, lines.Bytes(), err)
			}
		}
		keys = append(keys, line)
	}
	return keys, lines.Err()
}
