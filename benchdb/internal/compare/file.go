// Package compare compares results of benchdb, by benchstat's method: medians
// with confidence intervals, and the Mann-Whitney U test.
package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/micro"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/run"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// file is what is compared of a JSON file of benchdb. Its settings include the
// machine.
type file struct {
	name, command string
	settings      map[string]any
	samples       []report.Sample
}

// read reads a file that benchdb run or micro wrote.
func read(name string) (file, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return file{}, err
	}
	var head struct {
		Schema      int            `json:"schema"`
		Command     string         `json:"command"`
		Settings    map[string]any `json:"settings"`
		Environment map[string]any `json:"environment"`
	}
	if err := decode(content, &head); err != nil {
		return file{}, fmt.Errorf("%s is no result of benchdb: %w", name, err)
	}
	if head.Schema != report.Schema {
		return file{}, fmt.Errorf("%s: schema %d, must be %d; name a .json file that --out wrote", name, head.Schema, report.Schema)
	}
	f := file{name: name, command: head.Command, settings: map[string]any{}}
	maps.Copy(f.settings, head.Settings)
	for _, name := range []string{"cpu", "cores", "os", "arch"} {
		f.settings[name] = head.Environment[name]
	}
	switch head.Command {
	case "run":
		var r run.Result
		err = decode(content, &r)
		f.samples = r.Samples()
	case "micro":
		var r micro.Result
		err = decode(content, &r)
		f.samples = r.Samples()
	default:
		err = fmt.Errorf("command %q, must be run or micro", head.Command)
	}
	if err != nil {
		return file{}, fmt.Errorf("%s: %w", name, err)
	}
	if len(f.samples) == 0 {
		return file{}, fmt.Errorf("%s: nothing was measured", name)
	}
	return f, nil
}

func decode(content []byte, to any) error {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(to); err != nil {
		return err
	}
	if decoder.More() {
		return errors.New("more than one value")
	}
	return nil
}

// Group is files of the same thing, measured again and again.
type Group struct {
	files []file
}

// Read reads a group of files.
func Read(names []string) (Group, error) {
	var g Group
	for _, name := range names {
		f, err := read(name)
		if err != nil {
			return Group{}, err
		}
		if len(g.files) > 0 && g.files[0].command != f.command {
			return Group{}, fmt.Errorf("%s is of %s, %s of %s", g.files[0].name, g.files[0].command, name, f.command)
		}
		if len(g.files) > 0 {
			if d := differences(g.files[0].settings, f.settings); len(d) > 0 {
				return Group{}, fmt.Errorf("%s and %s have unlike settings, %s: %v and %v; list files of the same thing", g.files[0].name, name, d[0].Setting, d[0].Old, d[0].New)
			}
		}
		g.files = append(g.files, f)
	}
	return g, nil
}

// Command is the command that wrote the files.
func (g Group) Command() string { return g.files[0].command }

// Difference is a setting that two groups do not share.
type Difference struct {
	Setting  string
	Old, New any
}

// Differences lists the settings that differ from another group's.
func (g Group) Differences(other Group) []Difference {
	return differences(g.files[0].settings, other.files[0].settings)
}

func differences(old, new map[string]any) []Difference {
	names := slices.Collect(maps.Keys(old))
	names = slices.AppendSeq(names, maps.Keys(new))
	slices.Sort(names)
	var all []Difference
	for _, name := range slices.Compact(names) {
		if fmt.Sprint(old[name]) != fmt.Sprint(new[name]) {
			all = append(all, Difference{name, old[name], new[name]})
		}
	}
	return all
}

// shapedBy reports whether a setting decides what a figure is, and not only
// which figures there are.
func shapedBy(s report.Sample, setting string) bool {
	store := !strings.HasPrefix(s.Of, "workload=")
	switch setting {
	case "policies", "workloads", "memory", "keys", "cold_bytes", "seed", "rounds":
		return false
	case "operations", "warmup", "threads", "direct":
		return !store
	case "rate":
		return !store && !s.Count
	case "absent":
		return strings.HasPrefix(s.Of, "workload="+ycsb.AbsentName+"/")
	case "cpu", "cores", "os", "arch":
		return !s.Count
	}
	return true
}

// enoughFiles is how many files let a test tell medians of files apart at a
// significance of 5 %, if all of one side are below all of the other.
const enoughFiles = 4

// series are the values of a group for one figure.
type series struct{ metric, of string }

// samples merges the files' samples, in the order of the first file. Turns of
// one file share what the machine did meanwhile; enough files are taken as one
// value each, their medians.
func (g Group) samples(condense bool) (order []series, all map[series]report.Sample) {
	all = map[series]report.Sample{}
	for _, f := range g.files {
		for _, s := range f.samples {
			key := series{s.Metric, s.Of}
			sum, ok := all[key]
			if !ok {
				order = append(order, key)
			}
			if condense {
				s.Values = []float64{report.Median(s.Values)}
			}
			s.Values, s.Events = append(sum.Values, s.Values...), s.Events+sum.Events
			all[key] = s
		}
	}
	return order, all
}
