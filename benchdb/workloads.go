package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// readWorkloads reads the names and files of --workloads.
func (o *runOptions) readWorkloads(given func(flag string) bool) error {
	for i, name := range o.Workloads {
		name = strings.TrimSpace(name)
		w, err := ycsb.Parse(name)
		if info, failed := os.Stat(name); err != nil && failed == nil && !info.IsDir() {
			w, err = o.readFile(name, given)
		} else if err != nil {
			err = fmt.Errorf("%w, or the name of a file%s", err, suggest(name, ycsb.Names()))
		}
		if err != nil {
			return usagef("--workloads: %w", err)
		}
		if w.Name == ycsb.AbsentName {
			w.Absent = o.Absent
		}
		if o.Distribution != "" {
			w.Distribution = o.Distribution
		}
		if slices.ContainsFunc(o.workloads, func(other ycsb.Workload) bool { return other.Name == w.Name }) {
			return usagef("--workloads: there are two %s; name each once", w.Name)
		}
		o.Workloads[i], o.workloads = name, append(o.workloads, w)
	}
	if len(o.workloads) == 0 {
		return usagef("--workloads: name at least one of %s", strings.Join(ycsb.Names(), ","))
	}
	return nil
}

// readFile reads a property file, and takes from it what no flag says.
func (o *runOptions) readFile(name string, given func(flag string) bool) (w ycsb.Workload, err error) {
	file, err := os.Open(name)
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	f, err := ycsb.ReadFile(filepath.Base(name), file)
	if err != nil {
		return w, fmt.Errorf("%s: %w", name, err)
	}
	if len(f.Ignored) > 0 {
		o.ignored = append(o.ignored, fmt.Sprintf("%s: ignored %s", name, strings.Join(f.Ignored, ", ")))
	}
	if given("operations") {
		f.Operations = 0
	}
	records := [2]int{f.Records, f.ValueSize} // of the one store that all workloads have
	if o.ofFile != nil && *o.ofFile != records && !(given("records") && given("value-size")) {
		return w, fmt.Errorf("%s has records of another number or size than the file before it; say --records and --value-size", name)
	}
	o.ofFile = &records
	if f.Records > 0 && !given("records") {
		o.Records = f.Records
	}
	if !given("value-size") {
		o.ValueSize = report.Size(f.ValueSize)
	}
	return f.Workload, nil
}
