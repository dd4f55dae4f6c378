package run

import (
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Answer prints what filters save, a line for each workload as it is measured.
type Answer struct {
	w      io.Writer
	s      Settings
	labels int // letters of the longest label
	begun  bool
}

// NewAnswer returns an Answer for a run with settings.
func NewAnswer(w io.Writer, s Settings) *Answer {
	a := &Answer{w: w, s: s, labels: len("workload")}
	for _, name := range s.Workloads {
		for _, memory := range s.Memory {
			for _, threads := range s.Threads {
				a.labels = max(a.labels, len(a.label(Outcome{Name: name, Memory: memory, Threads: int(threads)})))
			}
		}
	}
	return a
}

// Print prints the line of a workload, the first one below a header.
func (a *Answer) Print(w Outcome) {
	if !a.begun {
		a.begun = true
		a.header()
	}
	cells := answerOf(w).cells()
	fmt.Fprintf(a.w, answerLine, a.labels, a.label(w), cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8], cells[9])
}

const answerLine = "%-*s%6s%6s%6s%7s%6s%7s%6s%6s%7s%6s\n"

func (a *Answer) header() {
	fmt.Fprintf(a.w, "%s records of %s bytes, memory %s, %s\n", humanize.Comma(int64(a.s.Records)),
		humanize.Comma(int64(a.s.ValueSize)), a.s.Memory.String(), a.s.threads())
	fmt.Fprintf(a.w, "%-*s%31s%32s\n", a.labels, "", "disk reads of an operation", "its median time in µs")
	fmt.Fprintf(a.w, answerLine, a.labels, "workload", "none", "Bloom", "+L6", "Gravel", "ratio", "none", "Bloom", "+L6", "Gravel", "ratio")
	fmt.Fprintln(a.w, strings.Repeat("─", a.labels+63))
}

// Close explains the columns.
func (a *Answer) Close() {
	if !a.begun {
		return
	}
	fmt.Fprintln(a.w, "\n"+report.Wrap(fmt.Sprintf(
		"Memory is that of block cache and filters. Bloom is %s by pebble.DB.Get, +L6 by an iterator with UseL6Filters; Gravel is %s by pebbleext.DB; ratio is the best of the others to Gravel's.",
		first(a.s.Policies, isPebble), first(a.s.Policies, isGravel))))
}

// label is a short name of a workload, with what differs between those of a run.
func (a *Answer) label(w Outcome) string {
	label := w.Name
	if len(a.s.Memory) > 1 {
		label += " " + w.Memory.String()
	}
	if len(a.s.Threads) > 1 {
		label += fmt.Sprintf(" ×%d", w.Threads)
	}
	return label
}

func isPebble(text string) bool { return policy.Family(text) == policy.PebbleBloom }

func isGravel(text string) bool { return text != none && !isPebble(text) }

// first returns the first text of a kind, - if there is none.
func first(texts []string, is func(string) bool) string {
	for _, text := range texts {
		if is(text) {
			return text
		}
	}
	return "-"
}

// contest is the rows of a workload that the answer is about, nil where there is
// none.
type contest struct{ none, pebble, l6, gravel *Row }

func answerOf(w Outcome) (c contest) {
	for _, row := range w.Rows {
		plain := row.Lookup == Get || row.Lookup == Scan
		for _, to := range []struct {
			row **Row
			is  bool
		}{
			{&c.none, row.Policy == none},
			{&c.pebble, isPebble(row.Policy) && plain},
			{&c.l6, isPebble(row.Policy) && row.Lookup == L6Filters},
		} {
			if to.is && *to.row == nil {
				*to.row = &row
			}
		}
		// Of the first of Gravel's policies, the row of a DB comes after others.
		if isGravel(row.Policy) && (c.gravel == nil || c.gravel.Policy == row.Policy) {
			c.gravel = &row
		}
	}
	return c
}

// cells are the figures of a line.
func (c contest) cells() (cells []string) {
	for _, figure := range []func(r Row) float64{func(r Row) float64 { return r.ReadsPerOp() }, Row.microseconds} {
		best, ratio := 0.0, "-"
		for _, row := range []*Row{c.none, c.pebble, c.l6, c.gravel} {
			cell := "-"
			if row != nil {
				cell = report.Decimals(figure(*row), 3)
				if row.Timing == nil && figure(*row) == 0 {
					cell = "-"
				}
			}
			if row != nil && row != c.gravel && (best == 0 || figure(*row) < best) {
				best = figure(*row)
			}
			cells = append(cells, cell)
		}
		if c.gravel != nil && best > 0 && figure(*c.gravel) > 0 {
			ratio = report.Figure(best / figure(*c.gravel))
		}
		cells = append(cells, ratio)
	}
	return cells
}
