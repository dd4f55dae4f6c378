package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/checkpoint"
	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/replay"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/pebbleext/keytrace"
)

// replayOptions are the flags of replay.
type replayOptions struct {
	replay.Settings
	keys        string
	hex, base64 bool
	policies    policy.List
	dir         string
	report.Outputs
}

func newReplayOptions() *replayOptions {
	return &replayOptions{
		Settings: replay.Settings{Absent: 0.5, Memory: 8 << 20, Threads: 1, Seed: 1}, // Pebble's own cache
		policies: policy.NewList("default"),
		Outputs:  report.Outputs{Files: []string{"benchdb-replay.html"}},
	}
}

// AddFlags adds the flags to a flag set.
func (o *replayOptions) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.keys, "keys", o.keys, "file of keys, one a line, or key trace; - is the standard input")
	fs.BoolVar(&o.hex, "hex", o.hex, "keys are hexadecimal")
	fs.BoolVar(&o.base64, "base64", o.base64, "keys are in base64")
	fs.Var((*report.Number)(&o.Sample), "sample", "in place of a file, so many keys drawn from the store")
	fs.Float64Var(&o.Absent, "absent", o.Absent, "share of a sample's keys that are made absent, 0 to 1")
	fs.Var(&o.policies, "policies", "policies or level plans, separated by spaces")
	fs.BoolVar(&o.Rewrite, "rewrite", o.Rewrite, "also measure copies of the store, rewritten with each policy's filters")
	fs.Var(&o.Memory, "memory", "memory for block cache and filters together")
	fs.Var((*report.Number)(&o.Threads), "threads", "threads that share the keys")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "seed of a sample")
	fs.StringVar(&o.dir, "dir", o.dir, "directory for the copies, which are removed; best on the store's file system")
	fs.BoolVar(&o.Direct, "direct", o.Direct, "read past the page cache, with O_DIRECT")
	o.Outputs.AddFlags(fs)
}

// maxSample bounds the memory that a sample takes.
const maxSample = 100_000_000

// Validate reports the first flag that is wrong.
func (o *replayOptions) Validate() error {
	switch {
	case o.keys == "" && o.Sample == 0:
		return report.Usagef("name a file of keys with --keys, or draw some with --sample 10000")
	case o.Sample > maxSample:
		return report.Usagef("--sample %d: must be at most %d", o.Sample, maxSample)
	case !(o.Absent >= 0 && o.Absent <= 1):
		return report.Usagef("--absent %v: must be from 0 to 1", o.Absent)
	case o.Memory < minMemory:
		return report.Usagef("--memory %v: must be at least %v", o.Memory, report.Size(minMemory))
	case o.Threads < 1 || o.Threads > maxThreads:
		return report.Usagef("--threads %d: must be from 1 to %d", o.Threads, maxThreads)
	}
	return nil
}

func newReplayCommand() *cobra.Command {
	o := newReplayOptions()
	cmd := &cobra.Command{
		Use:   "replay DIR",
		Short: "Look up your own keys in your own store, as it is and with other filters",
		Long: `Replay says what lookups of your keys would read from disk with Gravel's default
filters, and what they read now.

It looks the keys up in the Pebble store in DIR as it is: by pebble.DB.Get, by an
iterator with UseL6Filters, and by pebbleext.DB, each with the same memory for
blocks and filters. A fifth of the keys warms up, the others count. Of the
filters that the store does not have it makes a forecast, and copies nothing;
with --rewrite it also measures them, in copies of the store.

Keys are one a line, or a trace that a program has recorded by pebbleext/keytrace.

The store stays as it is and may be open elsewhere: replay works on links of its
tables, and neither locks it nor reads its write-ahead log.`,
		Example: `  # 10,000 keys drawn from the store, half of them changed so that they are absent
  benchdb replay ./store --sample 10000

  # Keys of your own, one a line, and three policies
  benchdb replay ./store --keys keys.txt --policies "bloom:10 dense:10 ribbon:8"

  # What a program looked up, measured in rewritten copies
  benchdb replay ./store --keys keys.trace --policies "dense:10 dense:10;index=8" --rewrite

  # Keys in hexadecimal from a program, copies on the disk of the store
  dump-keys | benchdb replay ./store --keys - --hex --rewrite --dir /disk/replay --memory 1GiB`,
		Args: oneStore,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.run(cmd.Context(), args[0], cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	cmd.MarkFlagsMutuallyExclusive("keys", "sample")
	cmd.MarkFlagsMutuallyExclusive("hex", "base64")
	return cmd
}

func (o *replayOptions) run(ctx context.Context, dir string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	keys, err := o.read(stdin)
	if errors.Is(err, keytrace.ErrCut) && len(keys) > 0 {
		fmt.Fprintf(stderr, "benchdb: %v; the keys before are looked up\n", err)
	} else if err != nil {
		return report.Usagef("--keys: %w", err)
	}
	space, err := store.OpenTemporarySpace(cmp.Or(o.dir, checkpoint.Place(dir)))
	if err != nil {
		return report.Usagef("--dir: %w", err)
	}
	defer func() { err = errors.Join(err, space.Close()) }()
	if o.Direct {
		if err := diskio.CheckDirect(space.Dir); err != nil {
			return report.Usagef("--direct: %w; choose another place with --dir", err)
		}
	}
	o.Policies = o.policies.Texts()
	r := &replay.Result{Head: report.NewHead("replay"), Settings: o.Settings}
	return o.Measure(stdout, stderr, r, func() error {
		load, bar := report.StartLoad(), report.NewProgress(stderr)
		p := &replay.Replay{Dir: dir, Keys: keys, Policies: o.policies.Policies, Space: space, Bar: bar}
		err := p.Run(ctx, r)
		bar.Close()
		if len(r.Workloads) > 0 {
			r.Print(o.Text)
			r.NoteLoad(o.Text, load)
		}
		return storeError(ofStore(err, space.Store(policy.AsItIs), dir))
	})
}

// ofStore makes an error name the store in place of the view of it, which goes.
// Only the view is written: a full disk is where it is.
func ofStore(err error, view, dir string) error {
	if err == nil || vfs.IsNoSpaceError(err) || !strings.Contains(err.Error(), view) {
		return err
	}
	return renamed{err, strings.ReplaceAll(err.Error(), view, dir)}
}

// renamed is an error with another text.
type renamed struct {
	error
	text string
}

func (r renamed) Error() string { return r.text }

func (r renamed) Unwrap() error { return r.error }

// read reads the keys, none if they are to be drawn.
func (o *replayOptions) read(stdin io.Reader) (keys [][]byte, err error) {
	if o.Sample > 0 {
		return nil, nil
	}
	var decode replay.Encoding
	switch {
	case o.hex:
		decode = replay.Hex
	case o.base64:
		decode = replay.Base64
	}
	if o.keys == "-" {
		return replay.ReadKeys(stdin, "the standard input", decode)
	}
	file, err := os.Open(o.keys)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return replay.ReadKeys(file, o.keys, decode)
}
