package micro

import (
	"fmt"
	"io"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/bytesize"
)

// maxSamples is how many results each benchmark gets: enough for benchstat's
// intervals and tests, which want six or more.
const maxSamples = 10

// WriteBenchmarks writes times and rates in the Go benchmark format
// (golang.org/design/14313-benchmark-format), for benchstat. A sample is the
// median of successive rounds.
func WriteBenchmarks(w io.Writer, r *Result) error {
	f := benchWriter{w: w, cores: r.Environment.Cores}
	e := r.Environment
	f.printf("goos: %s\ngoarch: %s\npkg: github.com/gravelkv/gravel/benchdb\ncpu: %s\n", e.OS, e.Arch, e.CPU)
	for _, b := range r.Builds {
		for _, row := range b.Rows {
			f.build(b, row)
		}
	}
	for _, q := range r.Questions {
		for _, row := range q.Rows {
			f.answers(q, row.Policy, 1, row.OneCore)
			if row.AllCores != nil {
				f.answers(q, row.Policy, e.Cores, *row.AllCores)
			}
		}
	}
	return f.err
}

// benchWriter keeps the first error of its writer.
type benchWriter struct {
	w     io.Writer
	cores int
	err   error
}

func (f *benchWriter) printf(format string, args ...any) {
	if f.err == nil {
		_, f.err = fmt.Fprintf(f.w, format, args...)
	}
}

func (f *benchWriter) build(b Builds, row BuildRow) {
	name := fmt.Sprintf("Filter/policy=%s/keys=%d/keysize=%d", row.Policy, b.Keys, b.KeySize)
	memory := ""
	if row.PeakBytesPerKey != nil {
		memory = fmt.Sprintf(" %.4g peak-B/key", *row.PeakBytesPerKey)
	}
	for _, rate := range samples(row.rates, mean) {
		f.line(name, b.Keys, fmt.Sprintf("%.4g bits/key %.4g FPR%s", row.BitsPerKey, rate, memory))
	}
	if row.Time != nil {
		name = strings.Replace(name, "Filter/", "Build/", 1)
		f.times(name, b.Keys, *row.Time)
	}
}

func (f *benchWriter) answers(q Questions, policy string, cores int, a Answers) {
	memory := "cache"
	if q.ColdBytes > 0 {
		memory = bytesize.Size(q.ColdBytes).String()
	}
	name := fmt.Sprintf("MayContain/policy=%s/keys=%d/keysize=%d/memory=%s/cores=%d", policy, q.Keys, q.KeySize, memory, cores)
	f.times(name+"/key=absent", batchSize, a.Absent)
	f.times(name+"/key=present", batchSize, a.Present)
}

func (f *benchWriter) times(name string, operations int, t Time) {
	ratios := samples(t.ratios, median)
	for i, ns := range samples(t.ns, median) {
		f.line(name, operations, fmt.Sprintf("%.4g ns/op %.4g ratio", ns, ratios[i]))
	}
}

// line writes one result. As in go test, the name ends in the number of cores
// that Go uses, if it is not 1.
func (f *benchWriter) line(name string, operations int, values string) {
	if f.cores > 1 {
		name = fmt.Sprintf("%s-%d", name, f.cores)
	}
	f.printf("Benchmark%s %d %s\n", name, operations, values)
}

// samples reduces rounds to at most maxSamples figures, each of as many
// successive rounds as the others, give or take one.
func samples(rounds []float64, reduce func([]float64) float64) []float64 {
	n := min(maxSamples, len(rounds))
	out := make([]float64, n)
	for i := range out {
		out[i] = reduce(rounds[len(rounds)*i/n : len(rounds)*(i+1)/n])
	}
	return out
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
