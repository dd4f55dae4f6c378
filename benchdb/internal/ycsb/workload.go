// Package ycsb generates the operations of the Yahoo! Cloud Serving Benchmark
// (Cooper et al., "Benchmarking Cloud Serving Systems with YCSB", SoCC 2010):
// the mixes, distributions and keys of its Java implementation, from a seed.
package ycsb

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what an operation does.
type Kind uint8

// The kinds of operations, in the order in which YCSB draws them.
const (
	Read Kind = iota
	Update
	Insert
	Scan
	ReadModifyWrite
	// UniqueInsert looks for a key, which must be absent, and inserts it.
	UniqueInsert
	Kinds
)

// String returns the kind's name.
func (k Kind) String() string {
	return [Kinds]string{"read", "update", "insert", "scan", "read-modify-write", "unique insert"}[k]
}

// Workload is a mix of operations and a distribution of records.
type Workload struct {
	Name string
	// Title is the name for people, empty for that of YCSB.
	Title string
	// Mix is the share of each kind of operation.
	Mix [Kinds]float64
	// Absent is the share of reads and scans that ask for keys which were never
	// written.
	Absent float64
	Scans  Scans
	// Distribution is of the records that operations ask for.
	Distribution Distribution
	// Width is how many records are expected in a range. Ranges of width 1 hold one
	// record, or none if they are Absent.
	Width int
	// Mixgraph says that the sizes of values that are written and the lengths of
	// scans are those of mixgraph.
	Mixgraph bool
	// Shifts says that a third of the operations asks for records, the next for
	// absent keys, and the last for half of each.
	Shifts bool
}

// Scans is what the scans of a workload read.
type Scans uint8

// What scans read: a number of records from one on; by an iterator with bounds,
// the records whose keys begin as one does, with Keys.PrefixLength bytes; and the
// keys of a range.
const (
	Lengths Scans = iota
	Prefixes
	Ranges
)

// maxScan is the largest number of records that a scan of workload E asks for.
const maxScan = 100

// Distribution is how often records are asked for: YCSB's requestdistribution. It
// implements pflag.Value.
type Distribution string

// The distributions: a few records, anywhere, are popular; the newest are; all
// are alike.
const (
	Zipfian Distribution = "zipfian"
	Latest  Distribution = "latest"
	Uniform Distribution = "uniform"
	// KeyRanges is that of mixgraph, for it alone.
	KeyRanges Distribution = "key ranges"
)

// Distributions lists the distributions.
func Distributions() []string { return []string{string(Zipfian), string(Latest), string(Uniform)} }

// Set takes the name of a distribution.
func (d *Distribution) Set(name string) error {
	if !slices.Contains(Distributions(), name) {
		return fmt.Errorf("unknown distribution %q; there are %s", name, strings.Join(Distributions(), ", "))
	}
	*d = Distribution(name)
	return nil
}

// String returns the name.
func (d *Distribution) String() string { return string(*d) }

// Type implements pflag.Value.
func (d *Distribution) Type() string { return "distribution" }

// AbsentName names the workload that is not YCSB's: point reads only, of
// records drawn uniformly and of absent keys.
const AbsentName = "absent"

var workloads = []Workload{
	{Name: AbsentName, Title: "absent keys", Mix: [Kinds]float64{Read: 1}, Absent: 1, Distribution: Uniform},
	{Name: "A", Mix: [Kinds]float64{Read: 0.5, Update: 0.5}, Distribution: Zipfian},
	{Name: "B", Mix: [Kinds]float64{Read: 0.95, Update: 0.05}, Distribution: Zipfian},
	{Name: "C", Mix: [Kinds]float64{Read: 1}, Distribution: Zipfian},
	{Name: "D", Mix: [Kinds]float64{Read: 0.95, Insert: 0.05}, Distribution: Latest},
	{Name: "E", Mix: [Kinds]float64{Insert: 0.05, Scan: 0.95}, Distribution: Zipfian},
	{Name: "F", Mix: [Kinds]float64{Read: 0.5, ReadModifyWrite: 0.5}, Distribution: Zipfian},
	bounded("prefix", "scans of present prefixes", Prefixes, 0, 0),
	bounded("prefix-absent", "scans of absent prefixes", Prefixes, 1, 0),
	bounded("range", "ranges with one record", Ranges, 0, 1),
	bounded("range-absent", "empty ranges", Ranges, 1, 1),
	bounded("range-10", "ranges with about 10 records", Ranges, 0, 10),
	bounded("range-100", "ranges with about 100 records", Ranges, 0, 100),
	{Name: "unique", Title: "unique inserts", Mix: [Kinds]float64{UniqueInsert: 1}, Distribution: Uniform},
	{Name: "shift", Title: "records, then absent keys, then both", Mix: [Kinds]float64{Read: 1}, Distribution: Zipfian, Shifts: true},
	{Name: "mixgraph", Title: "mixgraph", Mix: [Kinds]float64{Read: 0.83, Update: 0.14, Scan: 0.03}, Distribution: KeyRanges, Mixgraph: true},
}

// bounded returns a workload of bounded iterators alone.
func bounded(name, title string, scans Scans, absent float64, width int) Workload {
	return Workload{
		Name: name, Title: title, Mix: [Kinds]float64{Scan: 1}, Absent: absent,
		Scans: scans, Width: width, Distribution: Uniform,
	}
}

// Names lists the workloads.
func Names() []string {
	names := make([]string, len(workloads))
	for i, w := range workloads {
		names[i] = w.Name
	}
	return names
}

// UsualNames lists the workload of absent keys and those of YCSB.
func UsualNames() []string { return Names()[:7] }

// Parse returns the workload of a name, in capitals or not.
func Parse(name string) (Workload, error) {
	for _, w := range workloads {
		if strings.EqualFold(w.Name, name) {
			return w, nil
		}
	}
	return Workload{}, fmt.Errorf("unknown workload %q; there are %s", name, strings.Join(Names(), ", "))
}

// Writes reports whether some operations change the store.
func (w Workload) Writes() bool {
	return w.Mix[Update]+w.Inserts()+w.Mix[ReadModifyWrite] > 0
}

// Lookups reports whether some operations read a single record.
func (w Workload) Lookups() bool { return w.Mix[Read]+w.Mix[ReadModifyWrite]+w.Mix[UniqueInsert] > 0 }

// Inserts is the share of operations that add a record.
func (w Workload) Inserts() float64 { return w.Mix[Insert] + w.Mix[UniqueInsert] }
