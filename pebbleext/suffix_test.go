package pebbleext_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
)

// TestRewriteKeySuffixes: tables that were written under Apply get other suffixes
// under a plan with another table filter. Pebble refuses those without a
// collector's property, or with a filter of another name.
func TestRewriteKeySuffixes(t *testing.T) {
	indexed := pebbleext.Uniform(filterpolicy.Bloom(10))
	indexed.Index = 6
	for _, c := range []struct {
		name     string
		from, to *pebble.Options
		says     string // empty where it works
	}{
		{"families", under(pebbleext.Uniform(filterpolicy.Bloom(10))), under(pebbleext.Plan{}), ""},
		{"fewer filters", under(indexed), under(pebbleext.Plan{}), ""},
		{"more filters", under(pebbleext.Plan{}), under(indexed), "does not contain property gravel.index"},
		{"the same before Apply", bare(filterpolicy.Bloom(10)), under(pebbleext.Uniform(filterpolicy.Bloom(10))), "does not contain property gravel.filter"},
		{"Pebble's before Apply", bare(bloom.FilterPolicy(10)), under(pebbleext.Uniform(bloom.FilterPolicy(10))), "does not contain property gravel.filter"},
		{"Pebble's", under(pebbleext.Uniform(bloom.FilterPolicy(10))), under(pebbleext.Plan{}), "mismatched filters"},
		{"to Pebble's", under(pebbleext.Plan{}), under(pebbleext.Uniform(bloom.FilterPolicy(10))), "mismatched filters"},
	} {
		_, _, err := sstable.RewriteKeySuffixesAndReturnFormat(tableOfSuffix(t, c.from), c.from.MakeReaderOptions(), &objstorage.MemObj{},
			c.to.MakeWriterOptions(0, sstable.TableFormatMax), cockroachkvs.NewTimestampSuffix(5, 0), cockroachkvs.NewTimestampSuffix(9, 0), 1)
		if c.says == "" {
			require.NoError(t, err, c.name)
		} else {
			require.ErrorContains(t, err, c.says, c.name)
		}
	}
}

// bare are options with a policy in all levels, without Apply.
func bare(policy pebble.FilterPolicy) *pebble.Options {
	opts := &pebble.Options{
		Comparer: &cockroachkvs.Comparer, KeySchema: cockroachkvs.KeySchema.Name,
		KeySchemas: sstable.MakeKeySchemas(&cockroachkvs.KeySchema),
	}
	opts.Levels[0].FilterPolicy = policy
	opts.EnsureDefaults()
	return opts
}

// under are options after Apply with a plan.
func under(plan pebbleext.Plan) *pebble.Options {
	opts := bare(nil)
	pebbleext.Apply(opts, pebbleext.Options{Plan: plan, FilterMemory: -1})
	return opts
}

// tableOfSuffix writes a table whose keys have one suffix.
func tableOfSuffix(t *testing.T, opts *pebble.Options) []byte {
	t.Helper()
	out := &objstorage.MemObj{}
	w := sstable.NewWriter(out, opts.MakeWriterOptions(0, sstable.TableFormatMax))
	for i := range 500 {
		require.NoError(t, w.Set(cockroachkvs.EncodeMVCCKey(nil, fmt.Appendf(nil, "key%05d", i), 5, 0), nil))
	}
	require.NoError(t, w.Close())
	return out.Data()
}
