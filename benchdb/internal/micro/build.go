package micro

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// keysPerTiming is the least number of keys that one timing builds; small
	// tables are built several times.
	keysPerTiming = 1 << 16
	// keysPerFullRound is the most keys of a table for which all rounds run.
	keysPerFullRound = 100_000
	// minBuildRounds is the least number of rounds for large tables.
	minBuildRounds = 5
)

// Builds compares filters of one number of keys as they are built.
type Builds struct {
	Keys    int        `json:"keys"`
	KeySize int        `json:"key_size"`
	Rows    []BuildRow `json:"rows"`
}

// BuildRow is one policy's filter. Time and memory are nil if there is none.
type BuildRow struct {
	Policy     string  `json:"policy"`
	Bytes      int     `json:"bytes"`
	BitsPerKey float64 `json:"bits_per_key"`
	// LowerBound is 2^(−BitsPerKey), the least rate of any filter of the size.
	LowerBound float64 `json:"lower_bound"`
	FPR        Rate    `json:"fpr"`
	// Time is per key.
	Time            *Time    `json:"time"`
	PeakBytesPerKey *float64 `json:"peak_bytes_per_key"`
}

// BuildRounds returns the number of rounds for tables of a number of keys.
func (b *Bench) BuildRounds(keys int) int {
	return max(min(b.Rounds, minBuildRounds), b.Rounds*keysPerFullRound/max(keys, keysPerFullRound))
}

// Build builds filters of new random keys in each round, times that, and asks
// them for absent keys. It returns the last round's filters for more queries.
// Interrupted, it returns the rounds that are done, and no filters.
func (b *Bench) Build(ctx context.Context, keys, keySize int) (Builds, *Filters, error) {
	rounds := b.BuildRounds(keys)
	f := &Filters{newKeySet(keys, keySize), make([][]byte, len(b.Policies))}
	absent := newKeySet((b.AbsentKeys+rounds-1)/rounds, keySize)
	rng := b.random(keys, keySize)
	outcomes := make([]buildOutcomes, len(b.Policies))
	for round := range rounds {
		f.keys.draw(rng)
		absent.draw(rng)
		for i := range order(round, len(b.Policies)) {
			if err := ctx.Err(); err != nil {
				return b.builds(f, absent.len(), outcomes), nil, err
			}
			o := &outcomes[i]
			o.ns = append(o.ns, b.timeBuild(f, i))
			o.positives = append(o.positives, ask(b.Policies[i], f.blocks[i], absent))
		}
		b.Progress(1)
	}
	result := b.builds(f, absent.len(), outcomes)
	for i, p := range b.Policies {
		if writes(p) {
			peak := float64(allocated(func() { build(p, f.keys) })) / float64(keys)
			result.Rows[i].PeakBytesPerKey = &peak
		}
	}
	return result, f, nil
}

// buildOutcomes are those of one policy, by round.
type buildOutcomes struct {
	ns        []float64 // per key
	positives []int
}

// timeBuild builds a policy's filter and returns the time per key.
func (b *Bench) timeBuild(f *Filters, i int) float64 {
	tables := max(1, keysPerTiming/f.keys.len())
	begin := time.Now()
	for range tables {
		f.blocks[i] = build(b.Policies[i], f.keys)
	}
	return nanoseconds(time.Since(begin), tables*f.keys.len())
}

// builds returns the rows of all policies if a round is done.
func (b *Bench) builds(f *Filters, absent int, outcomes []buildOutcomes) Builds {
	builds := Builds{f.keys.len(), f.keys.size, []BuildRow{}}
	fewest := slices.MinFunc(outcomes, func(a, b buildOutcomes) int { return len(a.positives) - len(b.positives) })
	rounds := len(fewest.positives)
	if rounds == 0 {
		return builds
	}
	for i, p := range b.Policies {
		row := BuildRow{Policy: p.Text, Bytes: len(f.blocks[i]), FPR: newRate(outcomes[i].positives[:rounds], absent)}
		row.BitsPerKey = 8 * float64(row.Bytes) / float64(builds.Keys)
		row.LowerBound = math.Exp2(-row.BitsPerKey)
		if writes(p) {
			t := newTime(outcomes[i].ns, outcomes[b.Baseline].ns)
			row.Time = &t
		}
		builds.Rows = append(builds.Rows, row)
	}
	return builds
}

// allocated returns the bytes that f allocates when it starts with empty pools
// and no garbage is collected meanwhile. Live memory then only grows, so this is
// its high-water mark: the least memory with which f never has to wait for the
// collector. It counts buffers that f outgrew.
func allocated(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	runtime.GC() // what a sync.Pool holds survives one collection
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// confidence is how often an interval holds the rate.
const confidence = 0.95

// Rate is a measured false-positive rate.
type Rate struct {
	AbsentKeys int     `json:"absent_keys"`
	Positives  int     `json:"positives"`
	Rate       float64 `json:"rate"`
	// Low and High bound the mean rate of the filters that were asked, with a
	// confidence of 95 %.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// newRate sums up rounds, each with a filter of its own that was asked for
// absent keys. The interval is the exact one of Clopper and Pearson (1934); as
// filters differ a little, it errs on the wide side.
func newRate(positives []int, absent int) Rate {
	r := Rate{AbsentKeys: absent * len(positives), High: 1}
	for _, n := range positives {
		r.Positives += n
	}
	k, n := float64(r.Positives), float64(r.AbsentKeys)
	r.Rate = k / n
	if k > 0 {
		r.Low = distuv.Beta{Alpha: k, Beta: n - k + 1}.Quantile((1 - confidence) / 2)
	}
	if k < n {
		r.High = distuv.Beta{Alpha: k + 1, Beta: n - k}.Quantile((1 + confidence) / 2)
	}
	return r
}
