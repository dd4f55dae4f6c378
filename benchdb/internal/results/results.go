// Package results is what benchdb measures, in the form of its JSON files. The
// README of benchdb describes every field.
package results

import (
	"github.com/gravelkv/gravel/benchdb/internal/iocount"
	"github.com/gravelkv/gravel/benchdb/internal/probes"
)

// Schema is the version of the JSON form. It rises when a field changes its
// meaning or goes.
const Schema = 1

// Run is the outcome of benchdb run.
type Run struct {
	Schema      int         `json:"schema"`
	Command     string      `json:"command"`
	Environment Environment `json:"environment"`
	Settings    Settings    `json:"settings"`
	Stores      []Store     `json:"stores"`
	Workloads   []Workload  `json:"workloads"`
	// CacheSweep is empty if no sweep was asked for.
	CacheSweep []SweepRow `json:"cache_sweep,omitempty"`
	// Rates are those of filters of all families, for comparison.
	Rates       []Curve `json:"rates"`
	Interrupted bool    `json:"interrupted"`
}

// Settings are the flags that decide what is measured. Sizes are in bytes.
type Settings struct {
	Records    int      `json:"records"`
	ValueSize  int      `json:"value_size"`
	CacheSize  int64    `json:"cache_size"`
	Policies   []string `json:"policies"`
	Workloads  []string `json:"workloads"`
	Operations int      `json:"operations"`
	Absent     float64  `json:"absent"`
	Threads    int      `json:"threads"`
	Seed       uint64   `json:"seed"`
	Load       string   `json:"load"`
	Direct     bool     `json:"direct"`
	SweepCache bool     `json:"sweep_cache"`
}

// Store is a store as it was loaded with one policy.
type Store struct {
	Policy      string  `json:"policy"`
	Levels      []Level `json:"levels"`
	Bytes       int64   `json:"bytes"`
	LoadSeconds float64 `json:"load_seconds"`
	// Filters sums the blocks of the store's tables.
	Filters Filters `json:"filters"`
}

// Level is the tables of one level.
type Level struct {
	Level       int   `json:"level"`
	Tables      int   `json:"tables"`
	Keys        int64 `json:"keys"`
	Bytes       int64 `json:"bytes"`
	FilterBytes int64 `json:"filter_bytes"`
}

// Filters is the size of a store's filter blocks and the cost of building them.
type Filters struct {
	Bytes        int64   `json:"bytes"`
	LargestBlock int64   `json:"largest_block"`
	CacheShard   int64   `json:"cache_shard"`
	BitsPerKey   float64 `json:"bits_per_key"`
	// Build covers every block built during the load, also those of tables
	// that a compaction has replaced since.
	Build probes.Built `json:"build"`
}

// Workload is a workload's outcome for each policy and way to look keys up.
type Workload struct {
	Name   string  `json:"name"`
	Absent float64 `json:"absent"`
	Rows   []Row   `json:"rows"`
}

// Row is what one policy and lookup did in a workload.
type Row struct {
	Policy     string `json:"policy"`
	Lookup     string `json:"lookup"`
	Operations int    `json:"operations"`
	// Reads are those of the operations; Unfiltered, those of the same
	// operations on the same tables with filters off.
	Reads      Reads `json:"reads"`
	Unfiltered Reads `json:"unfiltered"`
	// SkippedReads is how many data-block reads the filters saved.
	SkippedReads int64  `json:"skipped_reads"`
	Probes       Probes `json:"probes"`
	// Timing is nil if the run was interrupted before it.
	Timing *Timing `json:"timing"`
}

// SweepRow is what a read-only workload reads with a block cache of one size.
type SweepRow struct {
	Workload   string `json:"workload"`
	Policy     string `json:"policy"`
	Lookup     string `json:"lookup"`
	CacheSize  int64  `json:"cache_size"`
	Operations int    `json:"operations"`
	Reads      Reads  `json:"reads"`
}

// Curve is a family's false-positive rate by bits per key.
type Curve struct {
	Name string `json:"name"`
	// Measured rates are of filters that were asked, others are computed.
	Measured bool        `json:"measured"`
	Points   []RatePoint `json:"points"`
}

// RatePoint is a point of a Curve.
type RatePoint struct {
	BitsPerKey float64 `json:"bits_per_key"`
	FPR        float64 `json:"fpr"`
}

// Probes are the answers of filters during a row's operations.
type Probes struct {
	probes.Counts
	ByLevel []LevelProbes `json:"by_level"`
	// FPR is the measured false-positive rate, nil without negatives or false
	// positives; ExpectedFPR is what the policy promises for the same probes.
	FPR         *float64 `json:"fpr"`
	ExpectedFPR *float64 `json:"expected_fpr"`
}

// LevelProbes are the answers of the filters written for a level.
type LevelProbes struct {
	Level int `json:"level"`
	probes.Counts
}

// Reads are reads of .sst files below the block cache.
type Reads struct {
	Total       iocount.Count `json:"total"`
	Data        iocount.Count `json:"data"`
	Index       iocount.Count `json:"index"`
	Filter      iocount.Count `json:"filter"`
	Other       iocount.Count `json:"other"`
	ByLevel     []LevelReads  `json:"by_level"`
	Compactions iocount.Count `json:"compactions"`
}

// LevelReads are the reads of one level's tables by kind of block.
type LevelReads struct {
	Level  int           `json:"level"`
	Data   iocount.Count `json:"data"`
	Index  iocount.Count `json:"index"`
	Filter iocount.Count `json:"filter"`
	Other  iocount.Count `json:"other"`
}

// Timing is how long operations took, nothing being counted meanwhile.
type Timing struct {
	Operations     int64   `json:"operations"`
	Seconds        float64 `json:"seconds"`
	OperationsPerS float64 `json:"operations_per_second"`
	Latency        Latency `json:"latency_ns"`
	// RoundNS is the mean time of an operation in each round.
	RoundNS         []float64 `json:"round_ns"`
	ByKind          []Kind    `json:"by_kind"`
	Source          string    `json:"source"`
	DeviceReadBytes *int64    `json:"device_read_bytes"`
}

// What served the reads below the block cache, in Timing.Source.
const (
	PageCache = "page cache"
	Device    = "device"
	Both      = "page cache and device"
)

// Kind is the latency of one kind of operation.
type Kind struct {
	Kind       string  `json:"kind"`
	Operations int64   `json:"operations"`
	Latency    Latency `json:"latency_ns"`
}

// Latency is a distribution in nanoseconds.
type Latency struct {
	Mean float64 `json:"mean"`
	P50  int64   `json:"p50"`
	P95  int64   `json:"p95"`
	P99  int64   `json:"p99"`
	Max  int64   `json:"max"`
}
