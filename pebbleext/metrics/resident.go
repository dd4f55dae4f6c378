package metrics

import (
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
//	gravel_resident_evicted_total         filters that made way
//	gravel_resident_rejected_total        blocks that were not their table's
type ResidentCollector struct{ filters *resident.Filters }

var _ prometheus.Collector = ResidentCollector{}

// NewResidentCollector returns a ResidentCollector that reads the figures when
// it is asked.
func NewResidentCollector(filters *resident.Filters) ResidentCollector {
	return ResidentCollector{filters}
}

type residentMetric struct {
	description *prometheus.Desc
	kind        prometheus.ValueType
	value       func(resident.Stats) float64
}

var residentMetrics = []residentMetric{
	residentGauge("budget_bytes", "Memory that filters may take.", func(s resident.Stats) int64 { return s.Budget }),
	residentGauge("used_bytes", "Memory that filters take.", func(s resident.Stats) int64 { return s.Used }),
	residentGauge("known_filters", "Filters that tables of the store have.", func(s resident.Stats) int64 { return int64(s.Known) }),
	residentGauge("filters", "Filters in memory.", func(s resident.Stats) int64 { return int64(s.Filters) }),
	residentCount("queries_total", "Queries of known filters, estimated from a sample.", func(s resident.Stats) uint64 { return s.Queries }),
	residentCount("answered_total", "Queries of filters in memory, estimated from a sample.", func(s resident.Stats) uint64 { return s.Answered }),
	residentCount("denied_total", "Queries answered with no, estimated from a sample.", func(s resident.Stats) uint64 { return s.Denied }),
	residentCount("handed_over_total", "Filters that came from writers of tables.", func(s resident.Stats) uint64 { return s.HandedOver }),
	residentCount("loaded_total", "Filters that were read from tables.", func(s resident.Stats) uint64 { return s.Loaded }),
	residentCount("loaded_bytes_total", "Bytes that were read from tables.", func(s resident.Stats) uint64 { return s.LoadedBytes }),
	residentCount("restored_total", "Filters that came from the file of the last time.", func(s resident.Stats) uint64 { return s.Restored }),
	residentCount("evicted_total", "Filters that made way for others or for a smaller budget.", func(s resident.Stats) uint64 { return s.Evicted }),
	residentCount("rejected_total", "Blocks that were not those of their table.", func(s resident.Stats) uint64 { return s.Rejected }),
}

func residentGauge(name, help string, value func(resident.Stats) int64) residentMetric {
	return residentMetric{describeResident(name, help), prometheus.GaugeValue, func(s resident.Stats) float64 { return float64(value(s)) }}
}

func residentCount(name, help string, value func(resident.Stats) uint64) residentMetric {
	return residentMetric{describeResident(name, help), prometheus.CounterValue, func(s resident.Stats) float64 { return float64(value(s)) }}
}

func describeResident(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("gravel_resident_"+name, help, nil, nil)
}

// Describe implements prometheus.Collector.
func (c ResidentCollector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, m := range residentMetrics {
		descriptions <- m.description
	}
}

// Collect implements prometheus.Collector.
func (c ResidentCollector) Collect(to chan<- prometheus.Metric) {
	s := c.filters.Stats()
	for _, m := range residentMetrics {
		to <- prometheus.MustNewConstMetric(m.description, m.kind, m.value(s))
	}
}
