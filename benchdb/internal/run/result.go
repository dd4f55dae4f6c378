package run

import (
	"slices"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/objectstore"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Result is the outcome of benchdb run, in the form of its JSON file.
// benchdb/docs/run.md describes every field.
type Result struct {
	report.Head
	Settings Settings `json:"settings"`
	Measured
}

// Measured is what was measured of stores.
type Measured struct {
	Stores []store.Description `json:"stores"`
	// Writing is what it cost to write the stores, each round of it, empty of
	// stores that were not written.
	Writing   []Writing `json:"writing,omitempty"`
	Workloads []Outcome `json:"workloads"`
	// Remote is what was measured instead in stores with tables in a bucket.
	Remote []RemoteOutcome `json:"remote,omitempty"`
}

// The ways to load a store, of Settings.Load.
const (
	LoadShape = "shape"
	LoadWrite = "write"
)

// Settings are the flags that decide what is measured.
type Settings struct {
	Records   int         `json:"records"`
	ValueSize report.Size `json:"value_size"`
	// Memory is what each contender has for blocks and filters, in turn.
	Memory     report.Sizes `json:"memory"`
	Policies   []string     `json:"policies"`
	Workloads  []string     `json:"workloads"`
	Operations int          `json:"operations"`
	Absent     float64      `json:"absent"`
	// Distribution is that of all workloads, empty for each its own.
	Distribution ycsb.Distribution `json:"distribution"`
	// Warmup is how many operations go before those.
	Warmup int `json:"warmup"`
	// Rounds is how often each contender is opened and measured.
	Rounds int `json:"rounds"`
	// Rate is how many timed operations arrive in a second, 0 for no such limit.
	Rate report.Number `json:"rate"`
	// KeySize is the size of a key, 0 for YCSB's own.
	KeySize ycsb.Keys `json:"key_size"`
	// Split is how many bytes of a key are its prefix for Pebble, 0 for all.
	Split   int            `json:"split"`
	Threads report.Numbers `json:"threads"`
	Seed    uint64         `json:"seed"`
	Load    string         `json:"load"`
	Direct  bool           `json:"direct"`
	// Remote is where tables in object storage are, empty for local disk.
	Remote string `json:"remote,omitempty"`
}

// Outcome is that of a workload for each policy and way to look keys up.
type Outcome struct {
	Name    string  `json:"name"`
	Absent  float64 `json:"absent"`
	Threads int     `json:"threads"`
	// Memory is what each row has for blocks and filters.
	Memory report.Size `json:"memory"`
	Rows   []Row       `json:"rows"`
}

// Row is what one policy and lookup did in a workload.
type Row struct {
	Policy string `json:"policy"`
	Lookup Lookup `json:"lookup"`
	Cost
	// RoundReads is the mean number of reads of an operation in each round.
	RoundReads []float64 `json:"round_reads"`
	Queries    Queries   `json:"queries"`
	// CacheBytes is the size of the block cache.
	CacheBytes int64 `json:"cache_bytes"`
	// ResidentBytes are those of the filters in memory, 0 without any.
	ResidentBytes int64 `json:"resident_bytes,omitempty"`
	// Timing is nil if the run was interrupted before it.
	Timing *Timing `json:"timing"`
}

// name is the row's policy and way.
func (r Row) name() string { return r.Policy + " " + string(r.Lookup) }

// Row returns the row of a policy and a way to look keys up, nil if there is none.
func (o Outcome) Row(policy string, lookup Lookup) *Row {
	i := slices.IndexFunc(o.Rows, func(r Row) bool { return r.Policy == policy && r.Lookup == lookup })
	if i < 0 {
		return nil
	}
	return &o.Rows[i]
}

// RemoteOutcome is that of a workload in stores with tables in a bucket.
type RemoteOutcome struct {
	Name   string      `json:"name"`
	Absent float64     `json:"absent"`
	Rows   []RemoteRow `json:"rows"`
}

// RemoteRow is what one policy and lookup did in a workload.
type RemoteRow struct {
	Policy string     `json:"policy"`
	Lookup Lookup     `json:"lookup"`
	Warm   RemoteCost `json:"warm"`
	// Restart is that of the first operations of a process.
	Restart RemoteCost `json:"restart"`
}

// RemoteCost is what operations requested, and how long others took.
type RemoteCost struct {
	Operations int                `json:"operations"`
	Requests   objectstore.Counts `json:"requests"`
	Timed      int                `json:"timed"` // operations
	Latency    Latency            `json:"latency_ns"`
}

// Cost is what operations read.
type Cost struct {
	Operations int           `json:"operations"`
	Reads      diskio.Counts `json:"reads"`
}

// perOp is the mean number of reads of an operation.
func (c Cost) perOp(reads diskio.Count) float64 {
	return float64(reads.Reads) / float64(max(c.Operations, 1))
}

// ReadsPerOp is the mean number of all reads of an operation.
func (c Cost) ReadsPerOp() float64 { return c.perOp(c.Reads.Total) }

// KiBPerOp is the mean of what an operation reads.
func (c Cost) KiBPerOp() float64 {
	return float64(c.Reads.Total.Bytes) / 1024 / float64(max(c.Operations, 1))
}

// microseconds is the median time of an operation, 0 if none was timed.
func (r Row) microseconds() float64 {
	if r.Timing == nil {
		return 0
	}
	return float64(r.Timing.Latency.P50) / 1000
}

// Queries are the answers of filters during a row's operations.
type Queries struct {
	store.Answers
	ByLevel []LevelQueries `json:"by_level"`
	// FPR is the false-positive rate, nil without negatives or false positives.
	FPR *float64 `json:"fpr"`
}

// LevelQueries are the answers of the filters written for a level.
type LevelQueries struct {
	Level int `json:"level"`
	store.Answers
}

// Timing is how long operations took, nothing being counted meanwhile.
type Timing struct {
	Operations     int64   `json:"operations"`
	Seconds        float64 `json:"seconds"`
	OperationsPerS float64 `json:"operations_per_second"`
	Latency        Latency `json:"latency_ns"`
	// TurnNS is the mean time of an operation in each of ten turns of each round.
	TurnNS          []float64 `json:"turn_ns"`
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
	P999 int64   `json:"p99_9"`
	Max  int64   `json:"max"`
}
