package metrics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
)

// TestCollector scrapes the counts of a store.
func TestCollector(t *testing.T) {
	opts := &pebble.Options{FS: vfs.NewMem(), DisableAutomaticCompactions: true, Logger: quiet{}}
	plan, err := pebbleext.ParsePlan("ribbon:4")
	require.NoError(t, err)
	counter := filterpolicy.NewCounter()
	c := NewCollector(counter)
	require.Zero(t, testutil.CollectAndCount(c), "nothing was asked yet")

	db, err := pebbleext.Open("", opts, pebbleext.Options{Plan: plan, Counter: counter})
	require.NoError(t, err)
	for i := range 2000 {
		require.NoError(t, db.Set(fmt.Appendf(nil, "key%05d", 2*i), nil, nil))
	}
	require.NoError(t, db.Flush())
	for i := range 100_000 {
		has, err := db.Has(fmt.Appendf(nil, "key%05d-%d", i%3998, i))
		require.NoError(t, err)
		require.False(t, has)
	}
	m := db.Metrics()
	require.Positive(t, m.Filter.Hits)
	require.NoError(t, db.Close())

	problems, err := testutil.CollectAndLint(c)
	require.NoError(t, err)
	require.Empty(t, problems)
	require.NoError(t, testutil.CollectAndCompare(c, strings.NewReader(expected(counter.Stats()[0]))))
	require.NoError(t, prometheus.NewPedanticRegistry().Register(c))
}

// expected is what a store whose tables are all in L0 gives to Prometheus.
func expected(s filterpolicy.LevelStats) string {
	return fmt.Sprintf(`
# HELP gravel_filter_false_positives_total Tests of filters answered with may contain.
# TYPE gravel_filter_false_positives_total counter
gravel_filter_false_positives_total{family="ribbon",level="L0"} %d
# HELP gravel_filter_positives_total Queries of filters answered with may contain, estimated from a sample.
# TYPE gravel_filter_positives_total counter
gravel_filter_positives_total{family="ribbon",level="L0"} %d
# HELP gravel_filter_skips_total Queries of filters answered with no, estimated from a sample.
# TYPE gravel_filter_skips_total counter
gravel_filter_skips_total{family="ribbon",level="L0"} %d
# HELP gravel_filter_tests_total Tests of filters with random keys, which no table has.
# TYPE gravel_filter_tests_total counter
gravel_filter_tests_total{family="ribbon",level="L0"} %d
`, s.FalsePositives, s.Positives, s.Skips, s.Tests)
}

func TestLevelName(t *testing.T) {
	require.Equal(t, "L6", levelName(6))
	require.Equal(t, "unknown", levelName(-1))
}

// quiet drops what Pebble logs.
type quiet struct{ pebble.Logger }

func (quiet) Infof(string, ...any) {}
