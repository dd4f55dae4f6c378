package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/gravelkv/gravel/benchdb/internal/micro"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

func newMicroCommand() *cobra.Command {
	o := newMicroOptions()
	cmd := &cobra.Command{
		Use:   "micro",
		Short: "Compare filters alone: size, false-positive rate, speed",
		Long: `Micro builds filters of each policy and asks them, without a store: bits per
key, false-positive rate beside the least that any filter of that size can have,
time and memory of building, and the time of MayContain for absent and present
keys, with one filter in the cache and with filters picked at random from more
memory than caches hold, on one core and on all.

Besides Gravel's policies there are pebble-bloom:10, Pebble's own Bloom filter;
binaryfuse:8 and binaryfuse:16, binary fuse filters with fingerprints of so many
bits; and none, which shows what the measuring itself takes.`,
		Example: `  # The usual policies
  benchdb micro

  # Two policies, one size of filter, only in the cache
  benchdb micro --policies "bloom:9.5 bloom:1%" --keys 50k --cold 0

  # How far filters of a million keys pack, and how fast
  benchdb micro --codecs --keys 1M

  # Before and after a change of the code
  benchdb micro --json old.json; ...; benchdb micro --json new.json
  benchdb compare old.json new.json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.setCodecDefaults(cmd.Flags())
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func (o *microOptions) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if err := o.Open(stdout); err != nil {
		return usageError{err}
	}
	defer func() { err = errors.Join(err, o.Close()) }()

	r := &micro.Result{
		Schema: report.Schema, Command: "micro",
		Environment: report.Here(), Settings: o.settings(),
		Builds: []micro.Builds{}, Queries: []micro.Queries{}, Rates: policy.Curves(),
	}
	micro.PrintHeader(o.Text, r)
	err = o.measure(ctx, r, o.Text, stderr)
	r.Interrupted = errors.Is(err, context.Canceled)
	if err != nil && !r.Interrupted {
		return err
	}
	return errors.Join(err, o.Write(r, micro.Page(r)))
}

// measure prints and adds to r what is done.
func (o *microOptions) measure(ctx context.Context, r *micro.Result, stdout, stderr io.Writer) error {
	m := &microRun{o, o.bench(), report.NewProgress(stderr), r, stdout}
	defer m.bar.Close()
	m.bench.Progress = m.bar.Add
	if o.Codecs {
		return m.codecs(ctx)
	}
	for _, keys := range o.keys {
		if err := m.filters(ctx, keys); err != nil {
			return err
		}
	}
	if err := m.keySizes(ctx); err != nil {
		return err
	}
	if err := m.cold(ctx); err != nil {
		return err
	}
	micro.PrintLegend(stdout, micro.BaselineText)
	return nil
}

// microRun is a run of micro in progress.
type microRun struct {
	*microOptions
	bench  *micro.Bench
	bar    *report.Progress
	result *micro.Result
	stdout io.Writer
}

// filters builds filters of a number of keys and asks them.
func (m *microRun) filters(ctx context.Context, keys int) error {
	m.bar.Start(humanize.Comma(int64(keys))+" keys: building", m.bench.BuildRounds(keys))
	builds, filters, err := m.bench.Build(ctx, keys, m.KeySize)
	m.bar.Close()
	m.result.Builds = append(m.result.Builds, builds)
	micro.PrintBuilds(m.stdout, builds)
	if err != nil {
		return err
	}
	m.bar.Start(humanize.Comma(int64(keys))+" keys: asking", m.Rounds)
	queries, err := m.bench.InCache(ctx, filters)
	m.bar.Close()
	m.result.Queries = append(m.result.Queries, queries)
	micro.PrintQueries(m.stdout, queries, m.bench.Cores)
	return err
}

// codecs packs filters whole.
func (m *microRun) codecs(ctx context.Context) error {
	keys := m.keys[0]
	m.bar.Start("packing", len(m.policies))
	rows, err := m.bench.Codecs(ctx, keys, m.KeySize)
	m.bar.Close()
	m.result.Codecs = rows
	micro.PrintCodecs(m.stdout, keys, rows)
	return err
}

// keySizes asks filters for keys of several sizes.
func (m *microRun) keySizes(ctx context.Context) error {
	var done []micro.Queries
	var err error
	for _, size := range m.KeySizes {
		m.bar.Start(fmt.Sprintf("keys of %d bytes", size), m.Rounds)
		var queries micro.Queries
		queries, err = m.bench.InCache(ctx, m.bench.NewFilters(m.keys[0], size))
		m.bar.Close()
		if len(queries.Rows) > 0 {
			done = append(done, queries)
		}
		if err != nil {
			break
		}
	}
	// The size of all other tables is there already.
	for _, q := range done {
		if q.KeySize != m.KeySize {
			m.result.Queries = append(m.result.Queries, q)
		}
	}
	micro.PrintKeySizes(m.stdout, done)
	return err
}

// cold asks filters at random.
func (m *microRun) cold(ctx context.Context) error {
	if m.Cold == 0 {
		return nil
	}
	m.bar.Start(m.Cold.Human()+" of filters", m.bench.ColdRounds())
	queries, err := m.bench.Cold(ctx, m.KeySize, int64(m.Cold))
	m.bar.Close()
	m.result.Queries = append(m.result.Queries, queries)
	micro.PrintQueries(m.stdout, queries, m.bench.Cores)
	return err
}
