// Package paper repeats the experiments of the papers that the filters are
// built from, on the filters themselves: blocks are built by the families'
// Configs from random keys, and asked by blockfilter.MayContain.
//
// Each value becomes a Row, which is held to what the paper prints and to what
// package analysis predicts. Tolerances follow from the scatter of the
// trials, so that more trials make a stricter run.
package paper

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Result is the outcome of benchdb paper, in the form of its JSON file.
// benchdb/docs/paper.md describes every field.
type Result struct {
	report.Head
	Settings Settings `json:"settings"`
	Tables   []Table  `json:"tables"`
}

// Settings decide what is measured.
type Settings struct {
	Seed uint64 `json:"seed"`
	// Trials is how often an experiment runs for which its paper has
	// PublishedTrials; others run in proportion.
	Trials int `json:"trials"`
	// Figure is a text in the titles of the tables and figures, empty for all.
	Figure string `json:"figure,omitempty"`
}

// PublishedTrials is Kirsch and Mitzenmacher's number of trials.
const PublishedTrials = 10_000

// MinTrials leaves ten trials where a paper has a thousand.
const MinTrials = 100

// Table is a table or figure of a paper.
type Table struct {
	Paper string `json:"paper"`
	Title string `json:"title"`
	Note  string `json:"note,omitempty"`
	Rows  []Row  `json:"rows"`
	// Seconds is how long the table took.
	Seconds float64 `json:"seconds"`
}

// Experiment measures a Table.
type Experiment struct {
	paper, title, note string
	cases              []measurement
}

// measurement measures one or a few rows of a table that share their filters.
type measurement func(ctx context.Context, s Settings) ([]Row, error)

// computed is rows that need no trials.
func computed(rows func() []Row) measurement {
	return func(context.Context, Settings) ([]Row, error) { return rows(), nil }
}

// sampled makes rows of the outcomes of trials. The paper has a number of
// trials, and the name decides their random numbers.
func sampled[S ~[]T, T any](name string, published int, newTrial func() trial[T], rows func(outcomes S) []Row) measurement {
	return func(ctx context.Context, s Settings) ([]Row, error) {
		outcomes, err := run(ctx, s, name, s.trials(published), newTrial)
		if err != nil {
			return nil, err
		}
		return rows(outcomes), nil
	}
}

// Cases is the number of steps that Run tells progress of.
func (e Experiment) Cases() int { return len(e.cases) }

// Run measures the table. When ctx is cancelled it returns the rows that are
// done, and the error.
func (e Experiment) Run(ctx context.Context, s Settings, progress func(steps int)) (t Table, err error) {
	t = Table{Paper: e.paper, Title: e.title, Note: e.note, Rows: []Row{}}
	defer func(begin time.Time) { t.Seconds = time.Since(begin).Seconds() }(time.Now())
	for _, measure := range e.cases {
		rows, err := measure(ctx, s)
		if err != nil {
			return t, err
		}
		for _, r := range rows {
			r.OK = r.holds()
			t.Rows = append(t.Rows, r)
		}
		progress(1)
	}
	return t, nil
}

// Experiments returns those whose title has a text, in capitals or not, in the
// order of the papers.
func Experiments(p *Published, title string) []Experiment {
	all := slices.Concat(kirschMitzenmacher(p), lumettaMitzenmacher(p), burns(p), []Experiment{compressedFilters(p)})
	return slices.DeleteFunc(all, func(e Experiment) bool {
		return !strings.Contains(strings.ToLower(e.title), strings.ToLower(title))
	})
}

// links are where the papers are.
var links = map[string]string{
	kirschMitzenmacherPaper:  "https://doi.org/10.1002/rsa.20208",
	lumettaMitzenmacherPaper: "https://doi.org/10.1080/15427951.2007.10129136",
	burnsPaper:               "https://arxiv.org/abs/1908.04810",
	compressedPaper:          "https://doi.org/10.1109/TNET.2002.803864",
}
