package storetest

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// KeySpace is a set of keys of which a history writes some; the others stay
// absent between them.
type KeySpace struct {
	Comparer *pebble.Comparer
	Schema   *pebble.KeySchema // nil for Pebble's default
	Keys     [][]byte          // in order
	Bounds   [][]byte          // ends of ranges, in order, from the first key to past the last
	Suffix   []byte            // of range keys
}

// Ends bounds all keys of the space.
func (k KeySpace) Ends() (first, pastLast []byte) { return k.Bounds[0], k.Bounds[len(k.Bounds)-1] }

// SetOptions makes opts those of a store of such keys.
func (k KeySpace) SetOptions(opts *pebble.Options) {
	opts.Comparer = k.Comparer
	if k.Schema != nil {
		opts.KeySchema = k.Schema.Name
		opts.KeySchemas = sstable.MakeKeySchemas(k.Schema)
	}
}

// KeySpaces has one space of keys that are their own prefixes, and one whose
// keys have suffixes.
func KeySpaces() map[string]KeySpace {
	whole := KeySpace{Comparer: pebble.DefaultComparer}
	split := KeySpace{
		Comparer: &cockroachkvs.Comparer,
		Schema:   &cockroachkvs.KeySchema,
		Suffix:   cockroachkvs.NewTimestampSuffix(5, 0),
	}
	for i := range 300 {
		whole.Keys = append(whole.Keys, fmt.Appendf(nil, "key%04d", i))
	}
	whole.Bounds = append(whole.Bounds, whole.Keys...)
	whole.Bounds = append(whole.Bounds, []byte("kez"))
	for i := range 80 {
		prefix := fmt.Appendf(nil, "key%04d", i)
		bare := cockroachkvs.EncodeMVCCKey(nil, prefix, 0, 0)
		split.Bounds = append(split.Bounds, bare)
		split.Keys = append(split.Keys, bare)
		for version := uint64(7); version > 4; version-- { // newest first
			split.Keys = append(split.Keys, cockroachkvs.EncodeMVCCKey(nil, prefix, version, uint32(version%2)))
		}
	}
	split.Bounds = append(split.Bounds, cockroachkvs.EncodeMVCCKey(nil, []byte("kez"), 0, 0))
	return map[string]KeySpace{"whole keys": whole, "split keys": split}
}
