package pebbleext

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

func TestParsePlan(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"bloom:10", "bloom:10"},
		{"none", "none"},
		{"bloom:10,layout=flat,scheme=partition", "bloom:10,layout=flat,scheme=partition"},
		{"L0-L6=bloom:10", "bloom:10"},
		{"L0-L5=bloom:14;L6=none", "L0-L5=bloom:14;L6=none"},
		{"L6=bloom:7,layout=flat;L0-L5=bloom:1%", "L0-L5=bloom:1%;L6=bloom:7,layout=flat"},
		{"none;index=8", "none;index=8"},
		{"bloom:10,layout=flat;index=16", "bloom:10,layout=flat;index=16"},
		{"L0-L6=bloom:10;index=4", "bloom:10;index=4"},
		{"none;prefix=length:33", "none;prefix=length:33"},
		{"L0-L6=bloom:10;index=4;prefix=delimiter:/", "bloom:10;index=4;prefix=delimiter:/"},
		{"bloom:10;prefix=delimiter:0x3b", "bloom:10;prefix=delimiter:0x3b"},
		{"bloom:10;prefix=delimiter:=", "bloom:10;prefix=delimiter:="},
		{"none;range=7", "none;range=7"},
		{"L0-L6=none;index=4;prefix=length:8;range=16", "none;index=4;prefix=length:8;range=16"},
		{"L6=none;L0-L5=bloom:10;index=8", "L0-L5=bloom:10;L6=none;index=8"},
		{"default", "L0=ribbon:14;L1-L6=ribbon:10"},
		{"default;index=6;range=7", DefaultPlan().String() + ";index=6;range=7"},
		{"pebble-bloom:10", "pebble-bloom:10"},
		{"L0-L4=pebble-bloom:12;L5=pebble-bloom:9;L6=dense:8;index=8", "L0-L4=pebble-bloom:12;L5=pebble-bloom:9;L6=dense:8;index=8"},
		{"L0=none;L1=bloom:9.5;L2-L2=bloom:9.5;L3-L6=none", "L0=none;L1-L2=bloom:9.5;L3-L6=none"},
	} {
		p, err := ParsePlan(c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, p.String(), c.text)
	}
}

func TestParsePlanNamesTheWrongWord(t *testing.T) {
	for _, c := range []struct{ text, wrong, right string }{
		{"", "no plan", "bloom:10"},
		{";index=8", "no plan", "default"},
		{"dense:10;", "semicolon", "leave it out"},
		{"dense:10;;index=8", "semicolon", "leave it out"},
		{";L0-L6=dense:10", "semicolon", "leave it out"},
		{"Default", `"Default"`, "bloom"},
		{"default;L6=none", `"default"`, "L0-L5="},
		{"pebble-bloom", `"pebble-bloom"`, "pebble-bloom:10"},
		{"pebble-bloom10", `"pebble-bloom10"`, "pebble-bloom:10"},
		{"pebble-bloom:9.5", `"pebble-bloom:9.5"`, "whole bits"},
		{"L0-L6=pebble-bloom:0", `L0-L6: "pebble-bloom:0"`, "from 1 to 100"},
		{"pebble-bloom:10,k=2", `"pebble-bloom:10,k=2"`, "whole bits"},
		{"rocksdb:10", `"rocksdb"`, "pebble-bloom:10"},
		{"blom:10", `"blom"`, "bloom"},
		{"bloom,layout=flat", `"bloom,layout=flat"`, "bloom"},
		{"L0-L5=bloom:14", "L6 has no policy", "L6=none"},
		{"L6=bloom:14", "L0 has no policy", "L0=none"},
		{"L0-L6=bloom:14;L3=none", "L3 has two policies", "one"},
		{"L0-L7=bloom:10", `"L0-L7"`, "L0 to L6"},
		{"L5-L0=bloom:10", `"L5-L0"`, "L0-L5"},
		{"L=bloom:10", `"L"`, "L0-L5"},
		{"l0-l6=bloom:10", `"l0-l6"`, "L0-L5"},
		{"0-6=bloom:10", `"0-6"`, "L0-L5"},
		{"L0,L1=bloom:10", `"L0,L1"`, "L0-L5"},
		{"L0-L5", `"L0-L5"`, "L0-L5="},
		{"bloom:10;L6=none", `"bloom:10"`, "L0-L5=bloom:10"},
		{"bloom:10,layout=flat;L6=none", `"bloom:10,layout=flat"`, "L0-L5="},
		{"L0-L5=bloom:10;", "semicolon", "leave it out"},
		{"L0-L5=bloom:ten;L6=none", `"ten"`, "bits per key"},
		{"L0-L5=bloom:10,layout=round;L6=none", `"round"`, "flat"},
		{"index=8", `"index=8"`, "none;index=8"},
		{"bloom:10;index=3", "index=3", "4 to 16 bits are right"},
		{"bloom:10;index=17", "index=17", "4 to 16 bits are right"},
		{"bloom:10;index=", "index=", "4 to 16 bits are right"},
		{"bloom:10;index=8.5", "index=8.5", "4 to 16 bits are right"},
		{"bloom:10;index=8;index=8", `"index=8"`, "in this order"},
		{"L0-L5=bloom:10;index=8;L6=none", `"L6=none"`, "in this order"},
		{"L0-L5=bloom:10;index=8", "L6 has no policy", "L6=none"},
		{"prefix=length:8", `"prefix=length:8"`, "none;prefix=length:8"},
		{"none;prefix=8", "prefix=", "length:8"},
		{"none;prefix=length:0", "prefix=length:0", "1 to 65535"},
		{"none;prefix=delimiter:ab", "prefix=delimiter:ab", "one character"},
		{"none;prefix=length:8;index=8", "prefix=", "1 to 65535"},
		{"none;range=3", "range=3", "4 to 16 bits"},
		{"none;range=7;index=8", `"index=8"`, "in this order"},
		{"range=7", `"range=7"`, "none;range=7"},
		{"L0-L5=twochoice:12,L6=ribbon:7", "L6 comes after a comma", ";L6="},
		{"bloom:12,L5-L6=none", "L5-L6 comes after a comma", "semicolons"},
		{"dense:10,index=8", "index=8 comes after a comma", ";index=8"},
	} {
		_, err := ParsePlan(c.text)
		require.ErrorContains(t, err, c.wrong, c.text)
		require.ErrorContains(t, err, c.right, c.text)
		require.False(t, len(c.text) > 20 && strings.Count(err.Error(), c.text) > 1, err)
	}
}

// An error repeats no more than 80 characters of what it was given.
func TestParsePlanErrorsAreShort(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	for _, format := range []string{"%s", "L0-L5=%s", "%s=bloom:10", "L0=bloom:10;%s", "L0-L5=bloom:%s;L6=none", "bloom:10,%s=%[1]s", "bloom:10,L%s", "bloom:10;index=%s", "index=%s", "none;index=8;%s", "none;range=%s", "none;range=8;%s", "none;prefix=%s", "none;prefix=length:%s", "none;prefix=delimiter:%s"} {
		_, err := ParsePlan(fmt.Sprintf(format, long))
		require.Error(t, err, format)
		require.LessOrEqual(t, strings.Count(err.Error(), "é"), 80, format)
	}
}

// FuzzParsePlan checks that the text of a plan parses to the same text.
func FuzzParsePlan(f *testing.F) {
	for _, text := range []string{
		"bloom:10", "none", "default", "pebble-bloom:8", "bloom:1%,max=1MiB", "L0-L5=bloom:14;L6=none",
		"L6=bloom:7,layout=flat;L0-L5=bloom:10", "L0=bloom:10;", "L0-L=none", "=;=", "none;index=8", "L0-L5=bloom:10;L6=none;index=16",
		"none;prefix=length:8", "none;range=7", "bloom:10;index=8;prefix=delimiter:/;range=4", "none;prefix=delimiter:0x0a",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePlan(text)
		if err != nil {
			require.Equal(t, Plan{}, p)
			return
		}
		again, err := ParsePlan(p.String())
		require.NoError(t, err)
		require.Equal(t, p, again)
		require.Equal(t, p.String(), again.String())
	})
}

func TestPlanOfOtherPolicies(t *testing.T) {
	require.Equal(t, "none", Plan{}.String())
	require.Equal(t, "pebble-bloom:10", Uniform(bloom.FilterPolicy(10)).String())
}

func TestApply(t *testing.T) {
	plan, err := ParsePlan("L0-L4=bloom:14;L5=bloom:10;L6=none")
	require.NoError(t, err)
	own := filterpolicy.Bloom(3)
	opts := &pebble.Options{Filters: map[string]pebble.FilterPolicy{filterpolicy.Name: own}}
	Apply(opts, Options{Plan: plan})
	opts.EnsureDefaults()

	var applied Plan
	for level := range opts.Levels {
		applied.Levels[level] = opts.Levels[level].FilterPolicy
	}
	require.Equal(t, plan.String(), applied.String())
	require.Equal(t, pebble.NoFilterPolicy, applied.Levels[6])
	w := applied.Levels[5].NewWriter(pebble.TableFilter)
	w.AddKey([]byte("key"))
	info, err := blockfilter.Describe(w.Finish(nil))
	require.NoError(t, err)
	require.Equal(t, 5, info.Level)
	require.Same(t, own, opts.Filters[filterpolicy.Name], "entries are kept")
	require.Contains(t, opts.Filters, bloom.FilterPolicy(10).Name())

	opts = &pebble.Options{}
	Apply(opts, Options{Plan: Plan{Levels: [NumLevels]pebble.FilterPolicy{1: own}}})
	opts.EnsureDefaults()
	require.Equal(t, pebble.NoFilterPolicy, opts.Levels[2].FilterPolicy, "no level inherits")
}

// TestApplyIndex: index filters are those of the last plan, beside collectors of
// the user's own.
func TestApplyIndex(t *testing.T) {
	own := func() pebble.BlockPropertyCollector {
		return sstable.NewBlockIntervalCollector("own", noIntervals{}, nil)
	}
	logger := &lastLine{}
	opts := &pebble.Options{BlockPropertyCollectors: []func() pebble.BlockPropertyCollector{own}, Logger: logger}
	opts.Levels[0].BlockSize = 32 << 10
	for _, c := range []struct {
		index      int
		collectors []string
	}{
		{8, []string{"own", indexfilter.PropertyName(nil), resident.PropertyName}},
		{12, []string{"own", indexfilter.PropertyName(nil), resident.PropertyName}},
		{0, []string{"own", resident.PropertyName}},
	} {
		Apply(opts, Options{Plan: Plan{Levels: Uniform(nil).Levels, Index: c.index}})
		var names []string
		for _, construct := range opts.BlockPropertyCollectors {
			names = append(names, construct().Name())
		}
		require.Equal(t, c.collectors, names)
	}
	opts.EnsureDefaults()
	require.Equal(t, 4<<10, opts.Levels[6].IndexBlockSize, "not the size of data blocks")
	require.Empty(t, logger.line)

	opts.Levels[3].IndexBlockSize = 256 << 10
	Apply(opts, Options{Plan: Plan{Index: 8}})
	require.Equal(t, 256<<10, opts.Levels[3].IndexBlockSize, "what is set is kept")
	require.Contains(t, logger.line, "L3")
	require.Contains(t, logger.line, "262144 bytes")
}

type noIntervals struct{}

func (noIntervals) MapPointKey(pebble.InternalKey, []byte) (sstable.BlockInterval, error) {
	return sstable.BlockInterval{}, nil
}

func (noIntervals) MapRangeKeys(sstable.Span) (sstable.BlockInterval, error) {
	return sstable.BlockInterval{}, nil
}

// lastLine is a logger that keeps what it was told last.
type lastLine struct{ line string }

func (l *lastLine) Infof(format string, args ...any)  { l.line = fmt.Sprintf(format, args...) }
func (l *lastLine) Errorf(format string, args ...any) { l.Infof(format, args...) }
func (l *lastLine) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
