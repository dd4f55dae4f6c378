package pebblev1_test

import (
	"testing"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/bloom"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
	filters "github.com/gravelkv/gravel/filterpolicy/pebblev1"
	"github.com/gravelkv/gravel/pebbleext/pebblev1"
)

// TestApplyKeepsLevels: Apply changes filters, not what else Pebble would have
// made of the levels.
func TestApplyKeepsLevels(t *testing.T) {
	for name, given := range map[string][]pebble.LevelOptions{
		"none":     nil,
		"one":      {{BlockSize: 512, FilterPolicy: bloom.FilterPolicy(10)}},
		"of sizes": {{TargetFileSize: 1 << 20}, {TargetFileSize: 5 << 20}},
		"all":      {{TargetFileSize: 1}, {TargetFileSize: 2}, {TargetFileSize: 3}, {TargetFileSize: 4}, {TargetFileSize: 5}, {TargetFileSize: 6}, {TargetFileSize: 7}},
	} {
		t.Run(name, func(t *testing.T) {
			plain := &pebble.Options{Levels: append([]pebble.LevelOptions(nil), given...)}
			plain.EnsureDefaults()
			opts := &pebble.Options{Levels: given}
			levels := pebblev1.Uniform(bloom.FilterPolicy(7))
			levels[6] = nil
			pebblev1.Apply(opts, levels)
			opts.EnsureDefaults()
			require.Len(t, opts.Levels, 7)
			for level := range levels {
				want := plain.Level(level)
				want.FilterPolicy = levels[level]
				require.Equal(t, want, opts.Level(level), "L%d", level)
			}
		})
	}
}

func TestApplyRecordsLevels(t *testing.T) {
	var opts pebble.Options
	pebblev1.Apply(&opts, pebblev1.Uniform(filters.Bloom(10)))
	for level := range opts.Levels {
		w := opts.Levels[level].FilterPolicy.NewWriter(pebble.TableFilter)
		w.AddKey([]byte("key"))
		info, err := blockfilter.Describe(w.Finish(nil))
		require.NoError(t, err)
		require.Equal(t, level, info.Level)
	}
}

func TestApplyKeepsFilters(t *testing.T) {
	mine := filters.Bloom(3)
	opts := pebble.Options{Filters: map[string]pebble.FilterPolicy{filters.Name: mine}}
	pebblev1.Apply(&opts, pebblev1.Uniform(nil))
	require.Same(t, mine, opts.Filters[filters.Name])
	require.Len(t, opts.Filters, 2)
}
