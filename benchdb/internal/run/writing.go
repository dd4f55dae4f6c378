package run

import (
	"fmt"

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

// WritingTable has medians over the rounds.
func (r *Result) WritingTable() report.Table {
	n := float64(r.Settings.Records)
	t := report.NewTable(fmt.Sprintf("Writing %s records of %s bytes, until compactions have settled", report.Compact(n), r.Settings.ValueSize.String()),
		1, "policy", "records\n/s", "±\n%", "to\nBloom", "±\n%", "CPU\ns", "±\n%", "flushed", "compacted", "filter\nns/key", "±\n%")
	perSecond := func(w store.Writing) float64 { return n / w.Seconds }
	var bloom []float64
	for _, w := range r.Writing {
		if isPebble(w.Policy) && bloom == nil {
			bloom = w.figures(perSecond)
		}
	}
	for _, w := range r.Writing {
		rates := w.figures(perSecond)
		cells := append([]string{w.Policy, report.Compact(report.Median(rates)), report.SpreadText(report.Spread(rates))}, ratio(rates, bloom)...)
		processor, build := w.figures(processor), w.figures(filterNS)
		written := func(of func(store.Writing) float64) string { return report.Size(report.Median(w.figures(of))).Short() }
		t.Add(append(cells, report.Figure(report.Median(processor)), report.SpreadText(report.Spread(processor)),
			written(flushed), written(compacted), report.Decimals(report.Median(build), 1), report.SpreadText(report.Spread(build)))...)
	}
	return t
}

// ratio is the median of the rounds' ratios to Pebble's Bloom filter, which took
// its turn in the same round, with its spread.
func ratio(rates, bloom []float64) []string {
	var all []float64
	for i := range min(len(rates), len(bloom)) {
		all = append(all, rates[i]/bloom[i])
	}
	if len(all) == 0 {
		return []string{"-", "-"}
	}
	return []string{report.Decimals(report.Median(all), 3), report.SpreadText(report.Spread(all))}
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
