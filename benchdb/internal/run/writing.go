package run

import (
	"fmt"
	"slices"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/store"
)

// Writing is what it cost to write the records with the filters of a policy, in
// each round.
type Writing struct {
	Policy string          `json:"policy"`
	Rounds []store.Writing `json:"rounds"`
}

// figures are a figure of all rounds.
func (w Writing) figures(of func(store.Writing) float64) (all []float64) {
	for _, r := range w.Rounds {
		all = append(all, of(r))
	}
	return all
}

func flushed(w store.Writing) float64 { return float64(w.Flushed) }

func compacted(w store.Writing) float64 { return float64(w.Compacted) }

func processor(w store.Writing) float64 { return w.Processor }

func filterNS(w store.Writing) float64 { return w.Filters.PerKey() }

// WritingTable has medians over the rounds. Ratios are those to Pebble's own Bloom
// filter, or the first policy without it, which took its turn in the same round.
func (r *Result) WritingTable() report.Table {
	base := r.Writing[max(slices.IndexFunc(r.Writing, func(w Writing) bool { return isPebble(w.Policy) }), 0)]
	n := float64(r.Settings.Records)
	t := report.NewTable(fmt.Sprintf("Writing %s records of %s bytes until compactions have settled; ratios to %s",
		report.Compact(n), r.Settings.ValueSize.String(), base.Policy),
		1, "policy", "records\n/s", "ratio", "±\n%", "CPU\ns", "ratio", "±\n%", "flush", "com-\npacted", "filter\nns/key", "±\n%")
	for _, w := range r.Writing {
		rate := func(w store.Writing) float64 { return n / w.Seconds }
		written := func(of func(store.Writing) float64) string {
			return report.Size(report.Median(w.figures(of))).Shorter()
		}
		build := w.figures(filterNS)
		t.Add(w.Policy, report.Compact(report.Median(w.figures(rate))), w.ratio(base, rate), w.spread(base, rate),
			report.Figure(report.Median(w.figures(processor))), w.ratio(base, processor), w.spread(base, processor),
			written(flushed), written(compacted), report.Decimals(report.Median(build), 1), report.SpreadText(report.Spread(build)))
	}
	return t
}

// ratios are those of a figure to another policy's, round by round.
func (w Writing) ratios(to Writing, of func(store.Writing) float64) []float64 {
	all, base := w.figures(of), to.figures(of)
	for i := range all {
		all[i] /= base[i]
	}
	return all
}

func (w Writing) ratio(to Writing, of func(store.Writing) float64) string {
	return report.Decimals(report.Median(w.ratios(to, of)), 3)
}

func (w Writing) spread(to Writing, of func(store.Writing) float64) string {
	return report.SpreadText(report.Spread(w.ratios(to, of)))
}

func (w Writing) samples(records int) []report.Sample {
	sample := func(metric string, figure func(store.Writing) float64) report.Sample {
		return report.Sample{Metric: metric, Of: "policy=" + w.Policy, Values: w.figures(figure)}
	}
	n := float64(records)
	return []report.Sample{
		sample("write-ns/record", func(w store.Writing) float64 { return 1e9 * w.Seconds / n }),
		sample("processor-ns/record", func(w store.Writing) float64 { return 1e9 * w.Processor / n }),
		sample("written-B/record", func(w store.Writing) float64 { return (flushed(w) + compacted(w)) / n }),
		sample("filter-ns/key", filterNS),
	}
}
