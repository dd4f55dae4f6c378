package micro

import (
	"context"
	"io"

	"github.com/dustin/go-humanize"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Result is the outcome of benchdb micro, in the form of its JSON file.
// benchdb/docs/micro.md describes every field.
type Result struct {
	report.Head
	Settings Settings  `json:"settings"`
	Builds   []Builds  `json:"builds"`
	Queries  []Queries `json:"queries"`
}

// Settings are the flags that decide what is measured.
type Settings struct {
	Policies   []string       `json:"policies"`
	Baseline   string         `json:"baseline"`
	Keys       report.Numbers `json:"keys"`
	KeySize    int            `json:"key_size"`
	ColdBytes  report.Size    `json:"cold_bytes"`
	Rounds     int            `json:"rounds"`
	AbsentKeys int            `json:"absent_keys"`
	Seed       uint64         `json:"seed"`
}

// Run measures what the settings say, and prints and adds to r what is done.
func (r *Result) Run(ctx context.Context, b *Bench, w io.Writer, bar *report.Progress) error {
	b.Progress = bar.Add
	asked := func(queries Queries, err error) error {
		bar.Close()
		r.Queries = append(r.Queries, queries)
		for _, t := range queries.Tables() {
			t.Print(w)
		}
		return err
	}
	s := r.Settings
	r.PrintHeader(w)
	for _, n := range s.Keys {
		name := humanize.Comma(int64(n)) + " keys: "
		bar.Start(name+"building", b.BuildRounds(int(n)))
		builds, filters, err := b.Build(ctx, int(n), s.KeySize)
		bar.Close()
		r.Builds = append(r.Builds, builds)
		builds.Table().Print(w)
		if err != nil {
			return err
		}
		bar.Start(name+"asking", s.Rounds)
		if err := asked(b.InCache(ctx, filters)); err != nil {
			return err
		}
	}
	if s.ColdBytes > 0 {
		bar.Start(s.ColdBytes.Human()+" of filters", b.ColdRounds())
		if err := asked(b.Cold(ctx, s.KeySize, int64(s.ColdBytes))); err != nil {
			return err
		}
	}
	Legend.Print(w)
	return nil
}
