package indexfilter

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/blockfilter/datablock"
	"github.com/gravelkv/gravel/filterpolicy"
)

// Filter asks the index filters of a store for one key at a time, or the prefix
// filters for one prefix. It is a pebble.BlockPropertyFilter for
// pebble.IterOptions.PointKeyFilters.
//
// Its iterator skips data blocks that do not hold the key. Where bounds do not
// change, Pebble may begin the next seek after such blocks, which may hold the
// next key. So each key needs a new iterator, or SetBounds before its seek, with
// bounds that begin at the key and end after its prefix.
//
// A Filter is for one iterator at a time.
//
// # Correctness
//
// A filter holds the prefix (Comparer.Split) of every point key of its block,
// tombstones and obsolete keys among them. So a block that may matter to a
// lookup is never skipped. Range deletions lie in blocks of their own. The same
// holds for what an Extractor takes of the prefix, and for ranges: a tombstone
// lies in the range of what it deletes. The name of the property contains that of
// the extractor, so filters of another extractor are never asked.
//
// Tables with a synthetic suffix keep the prefixes of their keys. Tables with a
// synthetic prefix (pebble.DB.IngestExternalFiles) do not, and Pebble does not
// tell a filter of it, so a Reader asks none in a store that has some.
//
// Each filter's hash has a seed of its own, drawn at random and stored with it.
// So keys that were prepared to pass one filter pass others no more often than
// any keys.
//
// Whatever is not the filter of a data block says "maybe": a property that is
// missing, empty or damaged, those of index blocks, which are empty, and that
// of the table.
type Filter struct {
	name    string
	prefix  []byte                // nil for all
	counter *filterpolicy.Counter // nil for none
}

var _ pebble.BlockPropertyFilter = (*Filter)(nil)

// NewFilter returns a Filter for stores of a comparer; nil means
// pebble.DefaultComparer.
func NewFilter(comparer *pebble.Comparer) *Filter {
	return &Filter{name: PropertyName(comparer)}
}

// NewPrefixFilter returns a Filter for scans of the keys that begin with begin.
// It is nil if the extractor takes no prefix of begin, which the Filter keeps
// without a copy.
//
// All keys within the bounds of its iterator must begin with begin.
func NewPrefixFilter(e Extractor, begin []byte) *Filter {
	prefix, ok := PrefixOf(e, begin)
	if !ok {
		return nil
	}
	return &Filter{name: PrefixPropertyName(e), prefix: prefix}
}

// SetPrefix makes the filter ask for the keys of a prefix (Comparer.Split),
// which it keeps without a copy. Nil is for all keys: no block is skipped.
func (f *Filter) SetPrefix(prefix []byte) { f.prefix = prefix }

// CountIn makes the filter count a sample of its queries in a Counter, chosen at
// random. A query takes 3.8 to 3.9 ns longer, 10 to 15 % (medians of queries in
// turns on an AMD EPYC, go test -bench Intersects ./pebbleext/indexfilter).
func (f *Filter) CountIn(counter *filterpolicy.Counter) { f.counter = counter }

// Name implements pebble.BlockPropertyFilter.
func (f *Filter) Name() string { return f.name }

// Intersects reports whether the block of a property may hold the prefix.
func (f *Filter) Intersects(property []byte) (bool, error) {
	if f.prefix == nil {
		return true, nil
	}
	mayContain := datablock.MayContain(property, f.prefix)
	if f.counter != nil && rand.Uint32()%blockfilter.SampleEvery == 0 {
		f.count(property, mayContain)
	}
	return mayContain, nil
}

func (f *Filter) count(property []byte, mayContain bool) {
	if _, ok := datablock.Describe(property); !ok {
		return // of an index block or a table
	}
	falsePositives := 0
	for range blockfilter.TestsPerAnswer {
		key := binary.LittleEndian.AppendUint64(nil, rand.Uint64())
		if datablock.MayContain(property, key) {
			falsePositives++
		}
	}
	f.counter.CountIndex(mayContain, falsePositives)
}

// SyntheticSuffixIntersects is Intersects: a suffix leaves prefixes as they are.
func (f *Filter) SyntheticSuffixIntersects(property, _ []byte) (bool, error) {
	return f.Intersects(property)
}
