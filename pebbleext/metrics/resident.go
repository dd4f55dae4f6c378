package metrics

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gravelkv/gravel/pebbleext/resident"
)

// ResidentCollector is a prometheus.Collector over filters in memory:
//
//	gravel_resident_budget_bytes          memory that filters may take
//	gravel_resident_used_bytes            memory that they take
//	gravel_resident_known_filters         that tables of the store have
//	gravel_resident_filters               of these, in memory
//	gravel_resident_queries_total         of known filters; from a sample
//	gravel_resident_answered_total        of these, by a filter in memory
//	gravel_resident_denied_total          of these, with "no": no table opened
//	gravel_resident_handed_over_total     filters from writers of tables
//	gravel_resident_loaded_total          filters read from tables
//	gravel_resident_loaded_bytes_total    bytes read for that
//	gravel_resident_restored_total        filters from the file of last time
//	gravel_resident_cut_total             filters that gave bits up
//	gravel_resident_evicted_total         filters that gave all bits up
//	gravel_resident_rejected_total        blocks that were not their table's
//
// These have a label level, "L0" to "L6", and tell why filters are in memory:
//
//	gravel_resident_level_known_filters   that tables of the level have
//	gravel_resident_level_filters         of these, in memory
//	gravel_resident_level_stored_bytes    of the blocks that tables have
//	gravel_resident_level_held_bytes      of these, in memory
//	gravel_resident_level_queries_total   of known filters; from a sample
//	gravel_resident_level_answered_total  of these, by a filter in memory
//	gravel_resident_level_denied_total    of these, with "no"
//	gravel_resident_level_next_bit_reads  that one more bit a key would save in
//	                                      a thousand of the level's queries
type ResidentCollector struct{ filters *resident.Filters }

var _ prometheus.Collector = ResidentCollector{}

// NewResidentCollector returns a ResidentCollector that reads the figures when
// it is asked.
func NewResidentCollector(filters *resident.Filters) ResidentCollector {
	return ResidentCollector{filters}
}

var residentMetrics = []struct {
	description *prometheus.Desc
	kind        prometheus.ValueType
	value       func(resident.Stats) float64
}{
	{describeResident("budget_bytes", "Memory that filters may take."), prometheus.GaugeValue, func(s resident.Stats) float64 { return float64(s.Budget) }},
	{describeResident("used_bytes", "Memory that filters take."), prometheus.GaugeValue, func(s resident.Stats) float64 { return float64(s.Used) }},
	{describeResident("known_filters", "Filters that tables of the store have."), prometheus.GaugeValue, func(s resident.Stats) float64 { return float64(s.Known) }},
	{describeResident("filters", "Filters in memory."), prometheus.GaugeValue, func(s resident.Stats) float64 { return float64(s.Filters) }},
	{describeResident("queries_total", "Queries of known filters, estimated from a sample."), prometheus.CounterValue, func(s resident.Stats) float64 { return float64(s.Queries) }},
	{describeResident("answered_total", "Queries of filters in memory, estimated from a sample."), prometheus.CounterValue, func(s resident.Stats) float64 { return float64(s.Answered) }},
	{describeResident("denied_total", "Queries answered with no, estimated from a sample."), prometheus.CounterValue, func(s resident.Stats) float64 { return float64(s.Denied) }},
	{describeResident("handed_over_total", "Filters that came from writers of tables."), prometheus.CounterValue, func(s resident.Stats) float64 { return float64(s.HandedOver) }},
	{describeResident("loaded_total", "Filters that were read from tables."), prometheus.CounterValue, func(s resident.Stats) float64 { return float64(s.Loaded) }},
	{describeResident("loaded_bytes_total", "Bytes that were read from tables."), prometheus.CounterValue, func(s resident.Stats) float64 { return float64(s.LoadedBytes) }},
	{describeResident("restored_total", "Filters that came from the file of the last time."), prometheus.CounterValue, func(s resident.Stats) float64 { return float64(s.Restored) }},
	{describeResident("cut_total", "Filters that gave bits up for others or for a smaller budget."), prometheus.CounterValue, func(s resident.Stats) float64 { return float64(s.Cut) }},
	{describeResident("evicted_total", "Filters that gave all of their bits up."), prometheus.CounterValue, func(s resident.Stats) float64 { return float64(s.Evicted) }},
	{describeResident("rejected_total", "Blocks that were not those of their table."), prometheus.CounterValue, func(s resident.Stats) float64 { return float64(s.Rejected) }},
}

func describeResident(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("gravel_resident_"+name, help, nil, nil)
}

type levelMetric struct {
	description *prometheus.Desc
	kind        prometheus.ValueType
	value       func(resident.LevelStats) float64
}

var levelMetrics = []levelMetric{
	levelGauge("known_filters", "Filters that tables of the level have.", func(l resident.LevelStats) float64 { return float64(l.Known) }),
	levelGauge("filters", "Filters of the level in memory.", func(l resident.LevelStats) float64 { return float64(l.Filters) }),
	levelGauge("stored_bytes", "Bytes of the filters that tables of the level have.", func(l resident.LevelStats) float64 { return float64(l.Bytes) }),
	levelGauge("held_bytes", "Bytes of these filters in memory.", func(l resident.LevelStats) float64 { return float64(l.Held) }),
	levelGauge("next_bit_reads", "Reads that one more bit for each key would save in a thousand queries.", func(l resident.LevelStats) float64 { return l.NextBit }),
	levelCount("queries_total", "Queries of known filters, estimated from a sample.", func(l resident.LevelStats) uint64 { return l.Queries }),
	levelCount("answered_total", "Queries of filters in memory, estimated from a sample.", func(l resident.LevelStats) uint64 { return l.Answered }),
	levelCount("denied_total", "Queries answered with no, estimated from a sample.", func(l resident.LevelStats) uint64 { return l.Denied }),
}

func levelGauge(name, help string, value func(resident.LevelStats) float64) levelMetric {
	return levelMetric{describeLevel(name, help), prometheus.GaugeValue, value}
}

func levelCount(name, help string, value func(resident.LevelStats) uint64) levelMetric {
	return levelMetric{describeLevel(name, help), prometheus.CounterValue, func(l resident.LevelStats) float64 { return float64(value(l)) }}
}

func describeLevel(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("gravel_resident_level_"+name, help, []string{"level"}, nil)
}

// Describe implements prometheus.Collector.
func (c ResidentCollector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, m := range residentMetrics {
		descriptions <- m.description
	}
	for _, m := range levelMetrics {
		descriptions <- m.description
	}
}

// Collect implements prometheus.Collector.
func (c ResidentCollector) Collect(to chan<- prometheus.Metric) {
	s := c.filters.Stats()
	for _, m := range residentMetrics {
		to <- prometheus.MustNewConstMetric(m.description, m.kind, m.value(s))
	}
	for i, level := range s.Levels {
		for _, m := range levelMetrics {
			to <- prometheus.MustNewConstMetric(m.description, m.kind, m.value(level), fmt.Sprintf("L%d", i))
		}
	}
}
