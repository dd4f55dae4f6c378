package indexfilter

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Extractor tells which prefix of a key prefix filters hold. [FixedLength] and
// [Delimiter] are two; a store whose keys are of several kinds may need
// another.
//
// It must depend on what it takes for the prefix alone: if it takes n bytes of
// a key, then it takes n bytes of every key that begins with these. Otherwise
// scans may miss keys. It is called concurrently.
type Extractor interface {
	// String names the extractor in each table. Tables of another name are read
	// without prefix filters. So an extractor that changes needs a new name.
	String() string
	// PrefixLength returns how many bytes of a key are its prefix, or 0 if the
	// key has none. The key comes without a suffix (Comparer.Split).
	PrefixLength(key []byte) int
}

// FixedLength takes so many bytes of a key. Shorter keys have no prefix.
type FixedLength int

// String is the word of a plan, such as length:8.
func (n FixedLength) String() string { return lengthWord + strconv.Itoa(int(n)) }

// PrefixLength implements Extractor.
func (n FixedLength) PrefixLength(key []byte) int {
	if len(key) < int(n) {
		return 0
	}
	return int(n)
}

// Delimiter takes what comes before the first such byte of a key, and the byte.
// Keys without it have no prefix.
type Delimiter byte

// String is the word of a plan, such as delimiter:/, or delimiter:0x3b for a
// byte that is no printable character, a space or a semicolon.
func (d Delimiter) String() string {
	if d <= ' ' || d >= 0x7f || d == ';' {
		return fmt.Sprintf("%s0x%02x", delimiterWord, byte(d))
	}
	return delimiterWord + string(rune(d))
}

// PrefixLength implements Extractor.
func (d Delimiter) PrefixLength(key []byte) int { return bytes.IndexByte(key, byte(d)) + 1 }

const lengthWord, delimiterWord = "length:", "delimiter:"

// ParseExtractor is the inverse of String for a FixedLength or Delimiter.
func ParseExtractor(text string) (Extractor, error) {
	if word, ok := strings.CutPrefix(text, lengthWord); ok {
		n, err := strconv.ParseUint(word, 10, 16)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("%s%.40s: 1 to 65535 bytes are right", lengthWord, word)
		}
		return FixedLength(n), nil
	}
	if word, ok := strings.CutPrefix(text, delimiterWord); ok {
		if len(word) == 1 {
			return Delimiter(word[0]), nil
		}
		hex, isHex := strings.CutPrefix(word, "0x")
		n, err := strconv.ParseUint(hex, 16, 8)
		if !isHex || err != nil {
			return nil, fmt.Errorf("%s%.40s: one character or a byte such as 0x3b is right", delimiterWord, word)
		}
		return Delimiter(n), nil
	}
	return nil, fmt.Errorf("%.40q names no prefixes; write length:8 or delimiter:/ (others need a program)", text)
}

// PrefixOf returns the prefix of a key without suffix, if it has one.
func PrefixOf(e Extractor, key []byte) (prefix []byte, ok bool) {
	n := e.PrefixLength(key)
	if n <= 0 || n > len(key) {
		return nil, false
	}
	return key[:n], true
}
