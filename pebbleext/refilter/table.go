package refilter

import (
	"context"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// hasFilters reports whether a table's filters are what the plan would write in
// its level. A table without point keys needs none.
func (s *survey) hasFilters(ctx context.Context, db *pebble.DB, level int, t pebble.SSTableInfo) (bool, error) {
	p := t.Properties
	if p.NumEntries == p.NumRangeDeletions {
		return true, nil
	}
	prefixes := ""
	if s.plan.Prefix != nil {
		prefixes = s.plan.Prefix.String()
	}
	if p.FilterSize > 0 && !resident.Named(p.UserProperties) {
		return false, nil // it could not be in memory
	}
	if indexfilter.TableBits(p.UserProperties, s.reading.Comparer) != s.plan.Index ||
		indexfilter.TablePrefixes(p.UserProperties) != prefixes ||
		indexfilter.TableRangeBits(p.UserProperties, s.reading.Comparer) != s.plan.Range {
		return false, nil
	}
	return s.hasTableFilter(ctx, db, t, s.plan.Levels[level])
}

// hasTableFilter reports whether a table's filter is what the policy would
// write.
//
// The level in a block does not count: a table may move to another level of
// the same policy. Neither do the rounds of twochoice, which leave no trace in
// a block, nor the parameters of policies that are not Gravel's.
func (s *survey) hasTableFilter(ctx context.Context, db *pebble.DB, t pebble.SSTableInfo, policy pebble.FilterPolicy) (bool, error) {
	name := t.Properties.FilterPolicyName
	if policy == nil || policy == pebble.NoFilterPolicy {
		return name == "", nil
	}
	gravel, ok := policy.(*filterpolicy.Policy)
	if !ok || name != policy.Name() {
		return name == policy.Name(), nil
	}
	filter, err := ondisk.ReadFilters(ctx, db, s.reading, uint64(t.BackingSSTNum))
	return err == nil && gravel.Wrote(filter.Block), err
}

// checkCollectors fails if a rewrite with the options would lose properties
// that a table has.
func checkCollectors(p *sstable.Properties, opts *pebble.Options) error {
	known := map[string]bool{
		"obsolete-key": true, // Pebble adds this one itself
	}
	for _, newCollector := range opts.BlockPropertyCollectors {
		known[newCollector().Name()] = true
	}
	collected := strings.Split(strings.Trim(p.PropertyCollectorNames, "[]"), ",")
	for name := range p.UserProperties {
		// Pebble 1 wrote properties of its own that Pebble 2 does not know.
		own := strings.HasPrefix(name, "rocksdb.") && !slices.Contains(collected, name)
		// The plan alone says whether a table has index, prefix and range
		// filters.
		if !known[name] && !own && !indexfilter.IsPropertyName(name, opts.Comparer) {
			return ondisk.As(ondisk.ErrRefused, "property %q would be lost; its collector must be in Options.BlockPropertyCollectors", name)
		}
	}
	return nil
}
