package resident

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/zeebo/xxh3"
)

// identitySize is the length of an identity, with which the property begins
// that carries it.
const identitySize = 16

// identity names the filter of a table by what is in it, so that a filter that
// comes from anywhere, a writer, a table's file or a saved one, is verified by
// its bytes alone. Each of Gravel's blocks begins with a random seed, so nobody
// can prepare two tables whose blocks collide.
type identity [identitySize]byte

// identify returns the identity of a filter block that a policy of that name
// wrote. Bytes under another name are another filter.
func identify(policy string, block []byte) identity {
	return xxh3.Hash128Seed(block, xxh3.HashString(policy)).Bytes()
}

// parseProperty returns the filter that a table's property names, and the
// extractor of the prefixes that the filter has, empty for none.
func parseProperty(property []byte) (id identity, extractor []byte, ok bool) {
	if len(property) < identitySize {
		return id, nil, false
	}
	return identity(property[:identitySize]), property[identitySize:], true
}

// Named reports whether a table names its filter, by the table's user
// properties. A filter without a name cannot be in memory.
func Named(userProperties map[string]string) bool {
	// The first byte is Pebble's.
	return len(userProperties[PropertyName]) > identitySize
}

// tableTag tells a table of a store from all others that it has had. Two tables
// with one tag have the same first and last keys.
type tableTag [16]byte

func newTableTag(t pebble.SSTableInfo) tableTag {
	return xxh3.HashString128(fmt.Sprintf("%d %d %d %d %q %d %q %d", t.FileNum, t.Size, t.SmallestSeqNum, t.LargestSeqNum,
		t.Smallest.UserKey, t.Smallest.Trailer, t.Largest.UserKey, t.Largest.Trailer)).Bytes()
}
