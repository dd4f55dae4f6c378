package blockfilter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/gravelkv/gravel/compress"
)

// ErrArchive is wrapped by the errors of Restore.
var ErrArchive = errors.New("not an intact archive of a filter block")

// archiveMagic begins an archive; its last byte is the version.
var archiveMagic = []byte("GvA\x01")

// Archive appends block, of any family, packed by codec to dst, for shipping or
// storing filters apart from their tables. Restore gives it back bit for bit.
//
// How much it saves depends on the array. A filter with half of its bits set,
// or one of package ribbon or compressed, is at its entropy already. One with
// fewer bits set is not: compress.ArrayEntropy tells what it can shrink to.
//
// An archive is "GvA" and the version, 1; a byte with the length of the codec's
// name, and the name; the block's XXH3-64, little-endian; what the codec made
// of the block.
func Archive(dst, block []byte, codec compress.Codec) []byte {
	name := codec.Name()
	dst = append(dst, archiveMagic...)
	dst = append(append(dst, byte(len(name))), name...)
	dst = binary.LittleEndian.AppendUint64(dst, xxh3.Hash(block))
	return codec.Encode(dst, block)
}

// Restore appends the block in archive to dst. It accepts any bytes. It is an
// error if Archive did not write them, if they were damaged since, or if the
// block has more than limit bytes. It allocates no more than the block.
func Restore(dst, archive []byte, limit int) ([]byte, error) {
	name, rest, ok := cutArchiveHead(archive)
	if !ok || len(rest) < 8 {
		return dst, fmt.Errorf("%w: it does not begin with magic, version, codec and checksum", ErrArchive)
	}
	codec, err := compress.ParseCodec(name)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	restored, err := codec.Decode(dst, rest[8:], limit)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	if xxh3.Hash(restored[len(dst):]) != binary.LittleEndian.Uint64(rest) {
		return dst, fmt.Errorf("%w: the block does not have its checksum", ErrArchive)
	}
	return restored, nil
}

// cutArchiveHead splits an archive after the codec's name.
func cutArchiveHead(archive []byte) (name string, rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(archive, archiveMagic)
	if !ok || len(rest) == 0 || len(rest) < 1+int(rest[0]) {
		return "", nil, false
	}
	end := 1 + int(rest[0])
	return string(rest[1:end]), rest[end:], true
}
