package micro

import (
	"fmt"
	"io"
	"slices"

	"github.com/dustin/go-humanize"
	pretty "github.com/jedib0t/go-pretty/v6/table"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// PrintHeader prints what is measured and where.
func PrintHeader(w io.Writer, r *Result) {
	fmt.Fprintf(w, "Filters alone, medians of %s rounds, seed %d\n",
		humanize.Comma(int64(r.Settings.Rounds)), r.Settings.Seed)
	fmt.Fprintln(w, r.Environment)
}

// PrintBuilds prints sizes, rates and the cost of building.
func PrintBuilds(w io.Writer, b Builds) {
	if len(b.Rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s keys of %d bytes: size, false-positive rate and building\n", humanize.Comma(int64(b.Keys)), b.KeySize)
	t := report.NewTable("policy", "bits/key", "FPR", "±", "bound", "build", "ratio", "peak B")
	for _, r := range b.Rows {
		row := report.Row{
			r.Policy, fmt.Sprintf("%.2f", r.BitsPerKey), report.Percent(r.FPR.Rate),
			"-", report.Percent(r.LowerBound), "-", "-", "-",
		}
		if r.Time != nil {
			row[3] = fmt.Sprintf("%.2g%%", 100*max(r.FPR.High-r.FPR.Rate, r.FPR.Rate-r.FPR.Low))
			row[5], row[6] = digits(r.Time.NS), ratio(*r.Time)
		}
		if r.PeakBytesPerKey != nil {
			row[7] = fmt.Sprintf("%.1f", *r.PeakBytesPerKey)
		}
		t.AppendRow(row)
	}
	t.Print(w)
}

// PrintQueries prints the times of MayContain.
func PrintQueries(w io.Writer, q Queries, cores int) {
	if len(q.Rows) == 0 {
		return
	}
	where := "one filter in cache"
	if q.ColdBytes > 0 {
		where = report.Size(q.ColdBytes).Human() + " of filters at random"
	}
	fmt.Fprintf(w, "\n%s keys of %d bytes: MayContain in ns, %s\n", humanize.Comma(int64(q.Keys)), q.KeySize, where)
	header := []any{"policy", "absent", "ratio", "present", "ratio"}
	if cores > 1 {
		header = append(header, "absent", "ratio", "present", "ratio")
	}
	t := report.NewTable(header...)
	if cores > 1 {
		one, all := "one core", fmt.Sprintf("each of %d cores", cores)
		t.ResetHeaders()
		t.AppendHeader(report.Row{"", one, one, one, one, all, all, all, all}, pretty.RowConfig{AutoMerge: true})
		t.AppendHeader(header)
	}
	for _, r := range q.Rows {
		row := append(report.Row{r.Policy}, r.OneCore.cells()...)
		if r.AllCores != nil {
			row = append(row, r.AllCores.cells()...)
		}
		t.AppendRow(row)
	}
	t.Print(w)
}

func (a Answers) cells() []any {
	return []any{digits(a.Absent.NS), ratio(a.Absent), digits(a.Present.NS), ratio(a.Present)}
}

// maxKeySizeColumns is how many key sizes fit beside each other.
const maxKeySizeColumns = 4

// PrintKeySizes prints times of MayContain on one core beside each other. The
// queries have the same policies and number of keys.
func PrintKeySizes(w io.Writer, queries []Queries) {
	for _, part := range []struct {
		name string
		of   func(Answers) Time
	}{
		{"absent", func(a Answers) Time { return a.Absent }},
		{"present", func(a Answers) Time { return a.Present }},
	} {
		for columns := range slices.Chunk(queries, maxKeySizeColumns) {
			fmt.Fprintf(w, "\n%s keys: MayContain in ns for %s keys by size, in cache, one core\n",
				humanize.Comma(int64(columns[0].Keys)), part.name)
			header := []any{"policy"}
			for _, q := range columns {
				header = append(header, fmt.Sprintf("%d B", q.KeySize), "ratio")
			}
			t := report.NewTable(header...)
			for i, r := range columns[0].Rows {
				row := report.Row{r.Policy}
				for _, q := range columns {
					time := part.of(q.Rows[i].OneCore)
					row = append(row, digits(time.NS), ratio(time))
				}
				t.AppendRow(row)
			}
			t.Print(w)
		}
	}
}

// PrintLegend explains the tables.
func PrintLegend(w io.Writer, baseline string) {
	fmt.Fprintf(w, `
ratio   to %s, median of the rounds; below 1 is faster
FPR ±   95 %% confidence interval of the filters that were asked
bound   2^-(bits/key): no filter of this size can let fewer absent keys pass
build   ns per key
peak B  bytes per key that one build allocates, its block included
none    what the measuring itself takes
`, baseline)
}

func ratio(t Time) string { return fmt.Sprintf("%.2f", t.Ratio) }

// digits writes nanoseconds with three digits or more.
func digits(ns float64) string {
	if ns >= 100 {
		return fmt.Sprintf("%.0f", ns)
	}
	return fmt.Sprintf("%.1f", ns)
}
