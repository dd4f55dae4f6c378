package keytrace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
)

// Magic begins a file. Chunks follow: the length of the rest of the chunk and
// its CRC-32C, 4 bytes each, the lowest first; then keys, each after its length
// as a varint.
const Magic = "gravel key trace 1\n\x00"

const (
	chunkHead = 8
	// maxChunk is the most bytes of keys in a chunk.
	maxChunk = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendKey(keys, key []byte) []byte {
	return append(binary.AppendUvarint(keys, uint64(len(key))), key...)
}

func appendChunk(dst, keys []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(keys)))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(keys, castagnoli))
	return append(dst, keys...)
}

// What may be wrong with a file, for errors.Is.
var (
	// ErrCut is a file that ends within a chunk. Its program writes it now, or
	// was killed. The keys before are good.
	ErrCut     = errors.New("the key trace ends within a chunk")
	ErrDamaged = errors.New("not a key trace, or a damaged one")
)

// Keys returns the keys of a trace in the order of their lookups. They are the
// caller's. An error comes last, and without a key. Reading takes a MiB of
// memory, whatever the file says.
func Keys(file io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r := &reader{file: bufio.NewReader(file)}
		magic := make([]byte, len(Magic))
		switch err := r.read(magic); {
		case err == io.EOF, err == ErrCut, err == nil && string(magic) != Magic:
			yield(nil, ErrDamaged)
			return
		case err != nil:
			yield(nil, err)
			return
		}
		for {
			key, err := r.next()
			if err == io.EOF || !yield(key, err) || err != nil {
				return
			}
		}
	}
}

type reader struct {
	file io.Reader
	keys []byte // of the chunk, not yet read
}

// next returns the next key, or io.EOF.
func (r *reader) next() ([]byte, error) {
	for len(r.keys) == 0 {
		if err := r.chunk(); err != nil {
			return nil, err
		}
	}
	length, n := binary.Uvarint(r.keys)
	if n <= 0 || length > uint64(len(r.keys)-n) {
		return nil, ErrDamaged
	}
	key := r.keys[n : n+int(length) : n+int(length)]
	r.keys = r.keys[n+int(length):]
	return key, nil
}

// chunk reads a chunk.
func (r *reader) chunk() error {
	var head [chunkHead]byte
	if err := r.read(head[:]); err != nil {
		return err
	}
	length := binary.LittleEndian.Uint32(head[:])
	if length == 0 || length > maxChunk {
		return ErrDamaged
	}
	keys := make([]byte, length)
	if err := r.read(keys); err == io.EOF {
		return ErrCut
	} else if err != nil {
		return err
	}
	if crc32.Checksum(keys, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return ErrDamaged
	}
	r.keys = keys
	return nil
}

// read fills p. It returns io.EOF if there is nothing to read.
func (r *reader) read(p []byte) error {
	_, err := io.ReadFull(r.file, p)
	switch err {
	case io.ErrUnexpectedEOF:
		return ErrCut
	case nil, io.EOF:
		return err
	}
	return fmt.Errorf("reading a key trace: %w", err)
}
