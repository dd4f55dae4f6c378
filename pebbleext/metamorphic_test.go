package pebbleext_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/metamorphic"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// keyFormats are those of the metamorphic tests. Their comparers split keys, so
// that filters hold prefixes; whole keys are for the tests of faults and load.
var keyFormats = []metamorphic.KeyFormat{
	metamorphic.CockroachKeyFormat,
	metamorphic.TestkeysKeyFormat,
}

// TestMetamorphic runs Pebble's own metamorphic test: the same random
// operations on stores with different random options must give the same
// results, here without filters, with Pebble's own, and with plans of every
// family that change whenever the store is opened again. Readers must find in
// the stores that were left what pebble.DB.Get does.
func TestMetamorphic(t *testing.T) {
	for _, format := range keyFormats {
		t.Run(format.Name, func(t *testing.T) {
			var probes atomic.Int64
			counter := filterpolicy.NewCounter()
			storetest.EachSeed(t, 2, func(t *testing.T, seed uint64) {
				m := metamorphicTest{t: t, dir: t.TempDir(), format: format, seed: seed, lookups: 1500}
				m.run(pebbleext.Plan{})
				m.run(pebbleext.Uniform(bloom.FilterPolicy(10)))
				rng := rand.New(rand.NewPCG(seed, 1))
				indexed := storetest.RandomPlan(t, rng)
				indexed.Index = 8
				for _, plans := range [][]pebbleext.Plan{
					{indexed},
					{storetest.RandomPlan(t, rng), storetest.RandomPlan(t, rng), pebbleext.Uniform(bloom.FilterPolicy(10)), {}},
				} {
					policy := &countingPolicy{FilterPolicy: filterpolicy.Bloom(10)}
					m.filters = policy
					m.run(plans...)
					probes.Add(policy.Asked.Load())
					m.compareReaders(counter)
				}
				different, diff := m.compare()
				require.Zero(t, different, diff)
			})
			require.Greater(t, probes.Load(), int64(1000), "filters are asked")
			require.NotEmpty(t, counter.Stats(), "index filters are asked")
			t.Logf("%d probes, index filters %+v", probes.Load(), counter.Stats())
		})
	}
}

// TestMetamorphicNoticesFalseNegatives: one false negative in a thousand makes
// the test fail.
func TestMetamorphicNoticesFalseNegatives(t *testing.T) {
	noticed := false
	for seed := uint64(1); seed <= 50 && !noticed; seed++ {
		m := metamorphicTest{t: t, dir: t.TempDir(), format: keyFormats[0], seed: seed, lookups: 5000}
		m.run(pebbleext.Plan{})
		policy := &forgetfulPolicy{FilterPolicy: filterpolicy.Bloom(10)}
		m.filters = policy
		m.run(pebbleext.Uniform(policy))
		different, _ := m.compare()
		noticed = different != 0
		t.Logf("seed %d: %d keys denied, noticed: %v", seed, policy.found.Load()/1000, noticed)
	}
	require.True(t, noticed)
}

// forgetfulPolicy denies every thousandth key that it finds.
type forgetfulPolicy struct {
	pebble.FilterPolicy
	found atomic.Int64
}

func (p *forgetfulPolicy) MayContain(ftype pebble.FilterType, filter, key []byte) bool {
	return p.FilterPolicy.MayContain(ftype, filter, key) && p.found.Add(1)%1000 != 0
}

// countingPolicy counts queries, and denies every key if told to.
type countingPolicy struct {
	pebble.FilterPolicy
	Asked atomic.Int64
	Deny  bool
}

// MayContain implements pebble.FilterPolicy.
func (p *countingPolicy) MayContain(ftype pebble.FilterType, filter, key []byte) bool {
	p.Asked.Add(1)
	return !p.Deny && p.FilterPolicy.MayContain(ftype, filter, key)
}

// metamorphicTest runs the operations of one seed several times.
type metamorphicTest struct {
	t         *testing.T
	dir       string
	format    metamorphic.KeyFormat
	seed      uint64
	lookups   int                 // weight of gets and of prefix seeks; other operations have up to 100
	filters   pebble.FilterPolicy // that reads Gravel's blocks
	histories []string
	// remote tells if the store of the last run had object storage, and closed
	// what its states were opened with that the run left: before each restart,
	// and in the end.
	remote bool
	closed []*pebble.Options
	edit   func(*pebble.Options) // of options after pebbleext.Apply, nil for none
}

// run runs the operations on a store of the first plan, and of the next one
// each time the store is opened again.
func (m *metamorphicTest) run(plans ...pebbleext.Plan) {
	rng := rand.New(rand.NewPCG(m.seed, uint64(100+len(m.histories))))
	m.remote = rng.IntN(3) == 0
	options := metamorphic.RandomOptions(rng, m.format, metamorphic.RandomOptionsCfg{NoRemoteStorage: !m.remote})
	opts := options.Opts
	// Memtables have no filter, nor does Get ask those of L6, to which stores as
	// small as these compact unless the levels above it are small too.
	opts.MemTableSize = 4 << 10 << rng.IntN(5)
	opts.LBaseMaxBytes = 1 << rng.IntN(14)
	opts.Filters = nil
	for level := range opts.Levels {
		opts.Levels[level].FilterPolicy = nil
	}
	if m.filters != nil {
		opts.Filters = map[string]pebble.FilterPolicy{m.filters.Name(): m.filters}
	}
	stores := &planSwitch{plans: plans, edit: m.edit}
	options.CustomOpts = append(options.CustomOpts, stores)

	path := filepath.Join(m.dir, fmt.Sprintf("%d.history", len(m.histories)))
	history, err := os.Create(path)
	require.NoError(m.t, err)
	test, err := metamorphic.New(m.operations(), options, "", history)
	require.NoError(m.t, err)
	require.NoError(m.t, metamorphic.Execute(test))
	require.NoError(m.t, history.Close())
	require.NoError(m.t, stores.Close(stores.opened))
	m.histories, m.closed = append(m.histories, path), stores.closed
}

// operations are made anew for each run, since a run alters them.
func (m *metamorphicTest) operations() metamorphic.Ops {
	const operations = 12_000
	config := metamorphic.DefaultOpConfig().
		WithOpWeight(metamorphic.OpReaderGet, m.lookups).
		WithOpWeight(metamorphic.OpIterSeekPrefixGE, m.lookups).
		WithOpWeight(metamorphic.OpDBFlush, 10).
		WithOpWeight(metamorphic.OpWriterDeleteRange, 5).
		WithOpWeight(metamorphic.OpWriterIngestAndExcise, 5)
	return metamorphic.GenerateOps(rand.New(rand.NewPCG(m.seed, 0)), operations, m.format, config)
}

// compare returns the number and the difference of the first run that did not
// have the results of run 0, or 0.
func (m *metamorphicTest) compare() (different int, diff string) {
	return metamorphic.CompareHistories(m.t, m.histories)
}

// planSwitch applies the next of some plans each time the store is opened.
type planSwitch struct {
	plans  []pebbleext.Plan
	edit   func(*pebble.Options)
	opens  int
	opened *pebble.Options
	closed []*pebble.Options
}

func (s *planSwitch) Name() string  { return "plans" }
func (s *planSwitch) Value() string { return "" }

func (s *planSwitch) Open(opts *pebble.Options) error {
	storetest.Apply(opts, s.plans[s.opens%len(s.plans)])
	if s.edit != nil {
		s.edit(opts)
	}
	s.opens++
	s.opened = opts
	return nil
}

// Close keeps options with the file system of the closed store: when it is
// opened again, it has another one.
func (s *planSwitch) Close(opts *pebble.Options) error {
	s.closed = append(s.closed, opts.Clone())
	return nil
}
