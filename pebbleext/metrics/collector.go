// Package metrics gives what a store's filters answer to Prometheus:
//
//	counter := filterpolicy.NewCounter()
//	db, err := pebbleext.Open(dir, opts, pebbleext.Options{Counter: counter})
//	registry.MustRegister(metrics.NewCollector(counter))
//
// All metrics are counters with the labels level, the one that a table was
// written for, L0 to L6 or unknown, and family, such as bloom. The family of
// index filters is index, and their level unknown.
//
//	gravel_filter_skips_total            queries answered with "no"
//	gravel_filter_positives_total        queries answered with "may contain"
//	gravel_filter_tests_total            tests with keys that no table has
//	gravel_filter_false_positives_total  tests answered with "may contain"
//
// A "no" saves the read of a data block. Queries are estimated from a sample.
//
// The measured false-positive rate by level is
//
//	sum by (level) (rate(gravel_filter_false_positives_total[1h]))
//	  / sum by (level) (rate(gravel_filter_tests_total[1h]))
//
// Several stores in one process have a Counter each, and labels of their own
// by prometheus.WrapRegistererWith.
package metrics

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gravelkv/gravel/filterpolicy"
)

// Collector is a prometheus.Collector over the counts of a Counter.
type Collector struct{ counter *filterpolicy.Counter }

var _ prometheus.Collector = Collector{}

// NewCollector returns a Collector that reads the counts when it is asked.
func NewCollector(counter *filterpolicy.Counter) Collector { return Collector{counter} }

var queryMetrics = []metric[filterpolicy.LevelStats]{
	count("gravel_filter_skips_total", "Queries of filters answered with no, estimated from a sample.",
		func(s filterpolicy.LevelStats) uint64 { return s.Skips }, "level", "family"),
	count("gravel_filter_positives_total", "Queries of filters answered with may contain, estimated from a sample.",
		func(s filterpolicy.LevelStats) uint64 { return s.Positives }, "level", "family"),
	count("gravel_filter_tests_total", "Tests of filters with random keys, which no table has.",
		func(s filterpolicy.LevelStats) uint64 { return s.Tests }, "level", "family"),
	count("gravel_filter_false_positives_total", "Tests of filters answered with may contain.",
		func(s filterpolicy.LevelStats) uint64 { return s.FalsePositives }, "level", "family"),
}

// Describe implements prometheus.Collector.
func (c Collector) Describe(to chan<- *prometheus.Desc) { describe(queryMetrics, to) }

// Collect implements prometheus.Collector.
func (c Collector) Collect(to chan<- prometheus.Metric) {
	for _, s := range c.counter.Stats() {
		collect(queryMetrics, s, to, levelName(s.Level), s.Family)
	}
}

func levelName(level int) string {
	if level < 0 {
		return "unknown"
	}
	return "L" + strconv.Itoa(level)
}
