package main

import (
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/prometheus/procfs"
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/micro"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// microOptions are the flags of micro.
type microOptions struct {
	Policies   []string
	Keys       []string
	KeySize    int
	KeySizes   []int
	Cold       report.Size
	Rounds     int
	AbsentKeys int
	Codecs     bool
	Seed       uint64
	report.Outputs

	// By Validate:
	policies []policy.Filter
	baseline int
	keys     []int // of Keys
}

func newMicroOptions() *microOptions {
	return &microOptions{
		Policies:   []string{"none pebble-bloom:10 bloom:8 bloom:10 bloom:16 twochoice:10 ribbon:8 compressed:8 binaryfuse:8 binaryfuse:16"},
		Keys:       []string{"10k", "100k", "1M", "10M"},
		KeySize:    16,
		KeySizes:   []int{8, 16, 32, 128},
		Cold:       1 << 30,
		Rounds:     100,
		AbsentKeys: 10_000_000,
		Seed:       1,
	}
}

// AddFlags adds the flags to a flag set.
func (o *microOptions) AddFlags(fs *pflag.FlagSet) {
	fs.StringArrayVar(&o.Policies, "policies", o.Policies, "policies to compare, separated by spaces; ratios are to "+micro.BaselineText)
	fs.StringSliceVar(&o.Keys, "keys", o.Keys, "numbers of keys in a filter")
	fs.IntVar(&o.KeySize, "key-size", o.KeySize, "size of a key in bytes")
	fs.IntSliceVar(&o.KeySizes, "key-sizes", o.KeySizes, "key sizes to compare, with the first number of keys")
	fs.Var(&o.Cold, "cold", "size of the filters that are asked at random, twice of which must fit in memory; 0 for none")
	fs.IntVar(&o.Rounds, "rounds", o.Rounds, "rounds in which every policy has its turn; fewer build large filters")
	fs.IntVar(&o.AbsentKeys, "absent-keys", o.AbsentKeys, "absent keys asked for each false-positive rate")
	fs.BoolVar(&o.Codecs, "codecs", o.Codecs, "pack whole filters by each codec, and measure nothing else; of a million keys unless --keys says so")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "seed of keys")
	o.Outputs.AddFlags(fs)
}

// setCodecDefaults makes --codecs compare filters that show what packing does,
// unless others are asked for.
func (o *microOptions) setCodecDefaults(fs *pflag.FlagSet) {
	if !o.Codecs {
		return
	}
	if !fs.Changed("policies") {
		o.Policies = []string{micro.CodecPolicies}
	}
	if !fs.Changed("keys") {
		o.Keys = []string{"1M"}
	}
}

const (
	minFilterKeys = 100
	maxFilterKeys = 1_000_000_000
	maxKeySize    = 64 << 10
	maxRounds     = 1_000_000
	maxAbsentKeys = 10_000_000_000
)

// Validate reports the first flag that is out of range.
func (o *microOptions) Validate() error {
	switch {
	case o.Cold != 0 && (o.Cold < micro.MinColdBytes || o.Cold > 1<<40):
		return usagef("--cold %v: must be 0, or from %v to 1TiB", o.Cold, report.Size(micro.MinColdBytes))
	case o.Rounds < 1 || o.Rounds > maxRounds:
		return usagef("--rounds %d: must be from 1 to %d", o.Rounds, maxRounds)
	case o.AbsentKeys < 1 || o.AbsentKeys > maxAbsentKeys:
		return usagef("--absent-keys %d: must be from 1 to %d", o.AbsentKeys, maxAbsentKeys)
	}
	if err := checkKeySize("key-size", o.KeySize); err != nil {
		return err
	}
	for _, size := range o.KeySizes {
		if err := checkKeySize("key-sizes", size); err != nil {
			return err
		}
	}
	if err := o.parse(); err != nil {
		return err
	}
	return o.checkMemory()
}

func checkKeySize(flag string, size int) error {
	if size < micro.MinKeySize || size > maxKeySize {
		return usagef("--%s %d: must be from %d to %d", flag, size, micro.MinKeySize, maxKeySize)
	}
	return nil
}

func (o *microOptions) parse() error {
	var err error
	if o.policies, o.baseline, err = micro.ParseList(strings.Join(o.Policies, " ")); err != nil {
		return usagef("--policies: %w", err)
	}
	o.keys = nil
	for _, text := range o.Keys {
		n, unit, err := humanize.ParseSI(strings.TrimSpace(text))
		if err != nil || unit != "" || n != math.Trunc(n) || n < minFilterKeys || n > maxFilterKeys {
			return usagef("--keys %q: must be a whole number from %d to 1G, such as 10k or 1M", text, minFilterKeys)
		}
		o.keys = append(o.keys, int(n))
	}
	if len(o.keys) == 0 {
		return usagef("--keys: name at least one number of keys")
	}
	return nil
}

// checkMemory fails if the machine has too little memory, where it can tell.
func (o *microOptions) checkMemory() error {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return nil
	}
	info, err := proc.Meminfo()
	if err != nil || info.MemAvailable == nil {
		return nil
	}
	available := *info.MemAvailable << 10
	// Keys, the hashes and scratch of a writer, and the blocks of all policies.
	most := slices.Max(o.keys)
	filters := uint64(most) * uint64(max(o.KeySize, slices.Max(append(o.KeySizes, 0)))+64+2*len(o.policies))
	if need := max(filters, 2*uint64(o.Cold)); need > available {
		return usagef("--keys %s and --cold %v need about %s of memory, and %s are free; choose less",
			strconv.Itoa(most), o.Cold, report.Size(need).Human(), report.Size(available).Human())
	}
	return nil
}

func (o *microOptions) bench() *micro.Bench {
	return &micro.Bench{
		Policies:   o.policies,
		Baseline:   o.baseline,
		Rounds:     o.Rounds,
		AbsentKeys: o.AbsentKeys,
		Cores:      runtime.GOMAXPROCS(0),
		Seed:       o.Seed,
	}
}

func (o *microOptions) settings() micro.Settings {
	s := micro.Settings{
		Baseline:   micro.BaselineText,
		Keys:       o.keys,
		KeySize:    o.KeySize,
		KeySizes:   o.KeySizes,
		ColdBytes:  int64(o.Cold),
		Rounds:     o.Rounds,
		AbsentKeys: o.AbsentKeys,
		Seed:       o.Seed,
	}
	for _, p := range o.policies {
		s.Policies = append(s.Policies, p.Text)
	}
	return s
}
