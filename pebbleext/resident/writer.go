package resident

import (
	"bytes"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

// policy is a filter policy whose finished blocks are handed over.
type policy struct {
	pebble.FilterPolicy
	filters   *Filters
	extractor indexfilter.Extractor // of prefixes that filters have, nil for none
}

// unwrap returns the policy beneath, if there is one.
func unwrap(p pebble.FilterPolicy) pebble.FilterPolicy {
	if wrapped, ok := p.(policy); ok {
		return wrapped.FilterPolicy
	}
	return p
}

// NewWriter implements pebble.FilterPolicy.
func (p policy) NewWriter(ftype pebble.FilterType) pebble.FilterWriter {
	return &filterWriter{
		FilterWriter: p.FilterPolicy.NewWriter(ftype),
		filters:      p.filters,
		policy:       p.FilterPolicy,
		extractor:    p.extractor,
	}
}

// String returns the text form of the policy beneath.
func (p policy) String() string {
	if s, ok := p.FilterPolicy.(fmt.Stringer); ok {
		return s.String()
	}
	return p.Name()
}

type filterWriter struct {
	pebble.FilterWriter
	filters *Filters
	policy  pebble.FilterPolicy
	sum     keySum
	last    []byte // key added last

	extractor indexfilter.Extractor
}

// AddKey implements pebble.FilterWriter. It adds the key's prefix, too. One
// that the last key begins with is that key's, as Extractor says, and was
// added.
func (w *filterWriter) AddKey(key []byte) {
	if prefix, ok := prefixOf(w.extractor, key); ok && !bytes.HasPrefix(w.last, prefix) {
		w.FilterWriter.AddKey(prefix)
	}
	w.sum.add(key)
	w.last = append(w.last[:0], key...)
	w.FilterWriter.AddKey(key)
}

// Finish implements pebble.FilterWriter.
func (w *filterWriter) Finish(dst []byte) []byte {
	whole := w.FilterWriter.Finish(dst)
	if block := whole[len(dst):]; len(block) > 0 && w.sum.keys > 0 {
		h := head{id: identify(w.policy.Name(), block), policy: w.policy, size: len(block)}
		w.filters.links.put(w.sum, link{h, block, w.extractor})
		w.filters.handOver(h, block, w.last)
	}
	w.sum = keySum{}
	w.last = nil
	return whole
}
