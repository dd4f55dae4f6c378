// Package ycsb generates the operations of the Yahoo! Cloud Serving Benchmark
// (Cooper et al., "Benchmarking Cloud Serving Systems with YCSB", SoCC 2010):
// the mixes, distributions and keys of its Java implementation, from a seed.
package ycsb

import (
	"cmp"
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
	Kinds
)

// String returns the kind's name.
func (k Kind) String() string {
	return [Kinds]string{"read", "update", "insert", "scan", "read-modify-write"}[k]
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
	// Width is how many records are expected in a range, 0 for a number from 1 to
	// MaxScan. Ranges of width 1 hold one record, or none if they are Absent.
	Width int
	// MaxScan is the largest number of records that a scan asks for, 0 for 100.
	MaxScan int
	// Operations is how many to run, 0 for as many as of other workloads.
	Operations int
}

// Scans is what the scans of a workload read.
type Scans uint8

// What scans read: a number of records from one on; by an iterator with bounds,
// the records whose keys begin as one does, with Keys.PrefixLength bytes; one key
// alone; the keys of a range; and those of a range that begins right behind a
// record.
const (
	Lengths Scans = iota
	Prefixes
	Points
	Ranges
	RangesBehind
)

// defaultMaxScan is that of workload E.
const defaultMaxScan = 100

// Distribution is how often records are asked for: YCSB's requestdistribution. It
// implements pflag.Value.
type Distribution string

// The distributions: a few records, anywhere, are popular; the newest are; all
// are alike.
const (
	Zipfian Distribution = "zipfian"
	Latest  Distribution = "latest"
	Uniform Distribution = "uniform"
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
	bounded("point", "iterators of present keys", Points, 0, 0),
	bounded("point-absent", "iterators of absent keys", Points, 1, 0),
	bounded("range", "ranges with one record", Ranges, 0, 1),
	bounded("range-absent", "empty ranges", Ranges, 1, 1),
	bounded("range-behind", "empty ranges behind records", RangesBehind, 1, 1),
	bounded("range-10", "ranges with about 10 records", Ranges, 0, 10),
	bounded("range-100", "ranges with about 100 records", Ranges, 0, 100),
	{Name: "E-bounded", Title: "YCSB E with bounds", Mix: [Kinds]float64{Insert: 0.05, Scan: 0.95}, Distribution: Zipfian, Scans: Ranges},
}

// bounded returns a workload of bounded iterators alone.
func bounded(name, title string, scans Scans, absent float64, width int) Workload {
	return Workload{
		Name: name, Title: title, Mix: [Kinds]float64{Scan: 1}, Absent: absent,
		Scans: scans, Width: width, Distribution: Uniform,
	}
}

// Names lists the workloads.
func Names() []string { return names(workloads) }

// UsualNames lists the workloads of point reads and those of YCSB. The others
// are for plans with prefix filters or range filters.
func UsualNames() []string {
	return names(slices.DeleteFunc(slices.Clone(workloads), func(w Workload) bool { return w.Scans != Lengths }))
}

func names(workloads []Workload) []string {
	names := make([]string, len(workloads))
	for i, w := range workloads {
		names[i] = w.Name
	}
	return names
}

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
	return w.Mix[Update]+w.Mix[Insert]+w.Mix[ReadModifyWrite] > 0
}

// Lookups reports whether some operations read a single record.
func (w Workload) Lookups() bool { return w.Mix[Read]+w.Mix[ReadModifyWrite] > 0 }

func (w Workload) maxScan() int { return cmp.Or(w.MaxScan, defaultMaxScan) }
