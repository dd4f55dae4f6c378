package report

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Sampled is a Result whose figures can be compared with those of another run.
type Sampled interface{ Samples() []Sample }

// Sample is measurements of one figure. Less is better.
type Sample struct {
	// Metric is the figure and its unit, as benchstat writes units.
	Metric string
	// Of says what was measured, in words such as workload=A, joined by slashes.
	Of     string
	Values []float64
}

// Words returns the words of what was measured and their values.
func (s Sample) Words() (words, values []string) {
	for pair := range strings.SplitSeq(s.Of, "/") {
		word, value, _ := strings.Cut(pair, "=")
		words, values = append(words, word), append(values, value)
	}
	return words, values
}

// group returns the samples of each thing that was measured, in their order.
func group(samples []Sample) (groups [][]Sample) {
	for _, s := range samples {
		i := slices.IndexFunc(groups, func(g []Sample) bool { return g[0].Of == s.Of })
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

// writeBenchmarks writes the samples in the format of Go's benchmarks, a line for
// each value.
func writeBenchmarks(w io.Writer, r Result) error {
	h := r.head()
	var config []benchfmt.Config
	for _, c := range [][2]string{{"goos", h.Environment.OS}, {"goarch", h.Environment.Arch}, {"cpu", h.Environment.CPU}} {
		config = append(config, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
	}
	out := benchfmt.NewWriter(w)
	for _, g := range group(r.(Sampled).Samples()) {
		name := strings.ToUpper(h.Command[:1]) + h.Command[1:] + "/" + strings.ReplaceAll(g[0].Of, " ", "_")
		longest := slices.MaxFunc(g, func(a, b Sample) int { return cmp.Compare(len(a.Values), len(b.Values)) })
		for i := range longest.Values {
			line := &benchfmt.Result{Config: config, Name: benchfmt.Name(name), Iters: 1}
			for _, s := range g {
				if i < len(s.Values) {
					line.Values = append(line.Values, benchfmt.Value{Value: s.Values[i], Unit: s.Metric})
				}
			}
			if err := out.Write(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeCSV writes a row for each thing that was measured, with the medians of
// its figures.
func writeCSV(w io.Writer, r Result) error {
	groups := group(r.(Sampled).Samples())
	var header []string
	column := func(name string) int {
		if !slices.Contains(header, name) {
			header = append(header, name)
		}
		return slices.Index(header, name)
	}
	for _, g := range groups { // words come before figures
		words, _ := g[0].Words()
		for _, word := range words {
			column(word)
		}
	}
	var rows [][]string
	for _, g := range groups {
		cells := map[int]string{}
		words, values := g[0].Words()
		for i, word := range words {
			cells[column(word)] = values[i]
		}
		for _, s := range g {
			cells[column(s.Metric)] = strconv.FormatFloat(Median(s.Values), 'g', -1, 64)
		}
		row := make([]string, len(header))
		for i, cell := range cells {
			row[i] = cell
		}
		rows = append(rows, row)
	}
	for i, row := range rows { // later ones may have added columns
		rows[i] = append(row, make([]string, len(header)-len(row))...)
	}
	return csv.NewWriter(w).WriteAll(append([][]string{header}, rows...))
}
