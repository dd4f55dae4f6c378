package refilter

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/filterpolicy"
)

// tableFilter is what a table says of its filter.
type tableFilter struct {
	properties sstable.Properties
	block      []byte // nil if there is none
}

// readTableFilter reads a table's properties and filter block, and its index
// on the way to the latter.
func readTableFilter(fs vfs.FS, path string, options sstable.ReaderOptions) (t tableFilter, err error) {
	file, err := fs.Open(path)
	if err != nil {
		return t, err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		_ = file.Close()
		return t, err
	}
	ctx := context.Background()
	reader, err := sstable.NewReader(ctx, readable, options)
	if err != nil {
		return t, err // the reader closed the file
	}
	defer func() {
		if closeErr := reader.Close(); err == nil {
			err = closeErr
		}
	}()
	if t.properties, err = reader.ReadPropertiesBlock(ctx, nil); err != nil {
		return t, err
	}
	layout, err := reader.Layout()
	if err != nil || len(layout.Filter) == 0 {
		return t, err
	}
	t.block = make([]byte, layout.Filter[0].Length) // filter blocks are not compressed
	return t, readable.ReadAt(ctx, t.block, int64(layout.Filter[0].Offset))
}

// as reports whether the table's filter is what the policy would write. A
// table without point keys needs no filter.
//
// The level in a block does not count: a table may move to another level of
// the same policy. Neither do the rounds of twochoice, which leave no trace in
// a block, nor the parameters of policies that are not Gravel's.
func (t tableFilter) as(policy pebble.FilterPolicy) bool {
	if t.properties.NumEntries == t.properties.NumRangeDeletions {
		return true
	}
	if policy == nil || policy == pebble.NoFilterPolicy {
		return t.properties.FilterPolicyName == ""
	}
	if t.properties.FilterPolicyName != policy.Name() {
		return false
	}
	gravel, ok := policy.(*filterpolicy.Policy)
	return !ok || sameFilter(t.block, gravel)
}

// sameFilter compares a block with one that the policy writes for as many other
// keys. It costs as much as building the block did.
func sameFilter(block []byte, policy *filterpolicy.Policy) bool {
	info, err := blockfilter.Describe(block)
	if err != nil || info.Keys > math.MaxInt32 {
		return false
	}
	w := policy.NewWriter(pebble.TableFilter)
	var key [8]byte
	for i := range info.Keys {
		binary.LittleEndian.PutUint64(key[:], i)
		w.AddKey(key[:])
	}
	return blockfilter.SameParameters(block, w.Finish(nil))
}

// ownProperty is the collector of block properties that Pebble adds itself.
const ownProperty = "obsolete-key"

// checkCollectors fails if a rewrite with the options would lose properties
// that a table has.
func (t tableFilter) checkCollectors(opts *pebble.Options) error {
	known := map[string]bool{ownProperty: true}
	for _, newCollector := range opts.BlockPropertyCollectors {
		known[newCollector().Name()] = true
	}
	for name := range t.properties.UserProperties {
		if !known[name] {
			return fmt.Errorf("property %q would be lost; its collector must be in Options.BlockPropertyCollectors", name)
		}
	}
	return nil
}
