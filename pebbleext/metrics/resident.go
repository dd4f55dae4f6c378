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

var residentMetrics = []metric[resident.Stats]{
	gauge("gravel_resident_budget_bytes", "Memory that filters may take.", func(s resident.Stats) float64 { return float64(s.Budget) }),
	gauge("gravel_resident_used_bytes", "Memory that filters take.", func(s resident.Stats) float64 { return float64(s.Used) }),
	gauge("gravel_resident_known_filters", "Filters that tables of the store have.", func(s resident.Stats) float64 { return float64(s.Known) }),
	gauge("gravel_resident_filters", "Filters in memory.", func(s resident.Stats) float64 { return float64(s.Filters) }),
	count("gravel_resident_queries_total", "Queries of known filters, estimated from a sample.", func(s resident.Stats) uint64 { return s.Queries }),
	count("gravel_resident_answered_total", "Queries of filters in memory, estimated from a sample.", func(s resident.Stats) uint64 { return s.Answered }),
	count("gravel_resident_denied_total", "Queries answered with no, estimated from a sample.", func(s resident.Stats) uint64 { return s.Denied }),
	count("gravel_resident_handed_over_total", "Filters that came from writers of tables.", func(s resident.Stats) uint64 { return s.HandedOver }),
	count("gravel_resident_loaded_total", "Filters that were read from tables.", func(s resident.Stats) uint64 { return s.Loaded }),
	count("gravel_resident_loaded_bytes_total", "Bytes that were read from tables.", func(s resident.Stats) uint64 { return s.LoadedBytes }),
	count("gravel_resident_restored_total", "Filters that came from the file of the last time.", func(s resident.Stats) uint64 { return s.Restored }),
	count("gravel_resident_cut_total", "Filters that gave bits up for others or for a smaller budget.", func(s resident.Stats) uint64 { return s.Cut }),
	count("gravel_resident_evicted_total", "Filters that gave all of their bits up.", func(s resident.Stats) uint64 { return s.Evicted }),
	count("gravel_resident_rejected_total", "Blocks that were not those of their table.", func(s resident.Stats) uint64 { return s.Rejected }),
}

var residentLevelMetrics = []metric[resident.LevelStats]{
	gauge("gravel_resident_level_known_filters", "Filters that tables of the level have.", func(l resident.LevelStats) float64 { return float64(l.Known) }, "level"),
	gauge("gravel_resident_level_filters", "Filters of the level in memory.", func(l resident.LevelStats) float64 { return float64(l.Filters) }, "level"),
	gauge("gravel_resident_level_stored_bytes", "Bytes of the filters that tables of the level have.", func(l resident.LevelStats) float64 { return float64(l.Bytes) }, "level"),
	gauge("gravel_resident_level_held_bytes", "Bytes of these filters in memory.", func(l resident.LevelStats) float64 { return float64(l.Held) }, "level"),
	gauge("gravel_resident_level_next_bit_reads", "Reads that one more bit for each key would save in a thousand queries.", func(l resident.LevelStats) float64 { return l.NextBit }, "level"),
	count("gravel_resident_level_queries_total", "Queries of known filters, estimated from a sample.", func(l resident.LevelStats) uint64 { return l.Queries }, "level"),
	count("gravel_resident_level_answered_total", "Queries of filters in memory, estimated from a sample.", func(l resident.LevelStats) uint64 { return l.Answered }, "level"),
	count("gravel_resident_level_denied_total", "Queries answered with no, estimated from a sample.", func(l resident.LevelStats) uint64 { return l.Denied }, "level"),
}

// Describe implements prometheus.Collector.
func (c ResidentCollector) Describe(to chan<- *prometheus.Desc) {
	describe(residentMetrics, to)
	describe(residentLevelMetrics, to)
}

// Collect implements prometheus.Collector.
func (c ResidentCollector) Collect(to chan<- prometheus.Metric) {
	s := c.filters.Stats()
	collect(residentMetrics, s, to)
	for level, stats := range s.Levels {
		collect(residentLevelMetrics, stats, to, levelName(level))
	}
}
