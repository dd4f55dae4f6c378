package pebbleext_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// extractors are those of storetest.RandomPlan, and others. They find prefixes
// of one to ten keys of a storetest.KeySpace, or none.
var extractors = []indexfilter.Extractor{
	indexfilter.FixedLength(5), indexfilter.FixedLength(6), indexfilter.FixedLength(7),
	indexfilter.Delimiter('1'), indexfilter.Delimiter('x'), indexfilter.FixedLength(100),
}

// TestBoundedIterAgreesWithNewIter moves iterators of both kinds alike, over
// every kind of pebble.Reader, after each stage of a store's random history.
// One store in two has resident filters, the others get other plans.
func TestBoundedIterAgreesWithNewIter(t *testing.T) {
	for keysName, space := range storetest.KeySpaces() {
		t.Run(keysName, func(t *testing.T) {
			moves := 0
			storetest.EachSeed(t, 4, func(t *testing.T, seed uint64) {
				rng := rand.New(rand.NewPCG(seed, 22))
				plan := storetest.RandomPlan(t, rng)
				inMemory := seed%2 == 0
				if inMemory {
					plan.Levels, plan.Prefix = pebbleext.Uniform(filterpolicy.Bloom(10)).Levels, indexfilter.FixedLength(6)
				}
				h, filters := newResidentHistory(t, space, plan, seed)
				for stage := range 16 {
					if !inMemory && stage%4 == 3 {
						require.NoError(t, filters.Close())
						h.Reopen(storetest.RandomPlan(t, rng))
					}
					h.Write(h.DB, 200)
					h.Maintain()
					for _, e := range extractors {
						r := pebbleext.ReaderOf(h.DB, space.Comparer, pebbleext.Options{Plan: pebbleext.Plan{Prefix: e}}, filters)
						for _, reader := range []pebble.Reader{h.DB, h.Snapshot, h.FileOnly, h.Batch} {
							key := space.Keys[rng.IntN(len(space.Keys))]
							p := &iterPair{t: t, rng: rng, keys: space}
							p.open(reader, r.Over(reader), key[:rng.IntN(8)], p.options())
							for range 30 {
								p.move()
								require.Empty(t, p.difference(), "%s of %q, seed %d", p.done, p.prefix, seed)
							}
							moves += 30
							p.close()
						}
					}
				}
				h.CloseReaders()
				require.NoError(t, filters.Close())
				if inMemory {
					require.Positive(t, filters.Stats().Denied)
				}
				require.NoError(t, h.DB.Close())
			})
			t.Logf("%d moves", moves)
		})
	}
}

// newResidentHistory is storetest.NewHistory with all filters in memory.
func newResidentHistory(t *testing.T, space storetest.KeySpace, plan pebbleext.Plan, seed uint64, edits ...func(*pebble.Options)) (*storetest.History, *resident.Filters) {
	filters, err := resident.New(resident.Settings{Budget: 8 << 20})
	require.NoError(t, err)
	h := storetest.NewHistory(t, space, plan, seed, append([]func(*pebble.Options){filters.Apply}, edits...)...)
	require.NoError(t, filters.Start(h.DB, h.Opts))
	return h, filters
}

// TestWrongFiltersAreNoticed: filters that lack some keys in all tables make a
// BoundedIter differ, as do filters in memory that have other prefixes than
// their tables say.
func TestWrongFiltersAreNoticed(t *testing.T) {
	prefix := []byte("key004")
	forgetPrefix := func(opts *pebble.Options) {
		forget(opts, func(key []byte) bool { return bytes.HasPrefix(key, prefix) })
	}
	inMemory := pebbleext.Uniform(filterpolicy.Bloom(10))
	inMemory.Prefix = renamed{indexfilter.FixedLength(5)}
	for name, c := range map[string]struct {
		plan   pebbleext.Plan
		prefix []byte
		spoil  func(opts *pebble.Options)
	}{
		"prefixes": {pebbleext.Plan{Prefix: indexfilter.FixedLength(6)}, prefix, forgetPrefix},
		"ranges":   {pebbleext.Plan{Range: 8}, nil, forgetPrefix},
		"resident": {inMemory, prefix, func(opts *pebble.Options) {
			opts.BlockPropertyCollectors = opts.BlockPropertyCollectors[1:] // that of the data blocks
		}},
	} {
		for keysName, space := range storetest.KeySpaces() {
			noticed := false
			for seed := uint64(0); seed < 20 && !noticed; seed++ {
				h, filters := newResidentHistory(t, space, c.plan, seed, c.spoil)
				asked := pebbleext.Options{Plan: pebbleext.Plan{Prefix: indexfilter.FixedLength(6)}}
				r := pebbleext.ReaderOf(h.DB, space.Comparer, asked, filters)
				for range 12 {
					h.Write(h.DB, 200)
					h.Maintain()
					p := &iterPair{t: t, keys: space}
					lower, upper := p.boundsOf(prefix)
					p.open(h.DB, r, c.prefix, &pebble.IterOptions{LowerBound: lower, UpperBound: upper})
					noticed = noticed || p.want.First() != p.got.First() || p.difference() != ""
					p.close()
				}
				require.NoError(t, filters.Close())
				h.Close()
			}
			require.True(t, noticed, "%s, %s", name, keysName)
		}
	}
}

// renamed is an extractor with the name of another one.
type renamed struct{ indexfilter.Extractor }

func (renamed) String() string { return "length:6" }

// TestPrefixIterSkipsDataBlocks scans absent prefixes of a store of four
// levels, forwards and backwards. Without filters, or with those of another
// extractor, a scan reads a data block of each level. With them, one block in
// 256 is read: 5 of 1,196. That it is 60 has a chance below 1e-40.
func TestPrefixIterSkipsDataBlocks(t *testing.T) {
	length := func(n int) indexfilter.Extractor { return indexfilter.FixedLength(n) }
	for name, c := range map[string]struct {
		written, asked indexfilter.Extractor
		most           float64 // share of the data blocks that are read
	}{
		"length":            {length(8), length(8), 0.05},
		"another length":    {length(8), length(7), 1},
		"delimiter":         {indexfilter.Delimiter('/'), indexfilter.Delimiter('/'), 0.05},
		"another delimiter": {indexfilter.Delimiter('/'), indexfilter.Delimiter('k'), 1},
		"a Reader without":  {length(8), nil, 1},
		"too few bytes":     {length(9), length(9), 1},
	} {
		t.Run(name, func(t *testing.T) {
			db := newLevels(t, func(opts *pebble.Options) { storetest.Apply(opts, pebbleext.Plan{Prefix: c.written}) })
			read := scanAbsentPrefixes(t, db, pebbleext.ReaderOf(db, nil, pebbleext.Options{Plan: pebbleext.Plan{Prefix: c.asked}}), c.written)
			require.LessOrEqual(t, read.share(t), c.most)
			require.Equal(t, c.most == 1, read.asked == read.unasked)
		})
	}
}

// TestPrefixIterSkipsTables is TestPrefixIterSkipsDataBlocks with table filters
// in memory: of one table in a hundred an index block is read, 12 of 1,196.
// That it is 120 has a chance below 1e-60. Filters without prefixes are not
// asked.
func TestPrefixIterSkipsTables(t *testing.T) {
	e := indexfilter.FixedLength(8)
	for name, c := range map[string]struct {
		plan  pebbleext.Plan
		skips bool
	}{
		"with prefixes":    {pebbleext.Plan{Prefix: e}, true},
		"another length":   {pebbleext.Plan{Prefix: indexfilter.FixedLength(7)}, false},
		"without prefixes": {pebbleext.Plan{}, false},
	} {
		filters, err := resident.New(resident.Settings{Budget: 8 << 20})
		require.NoError(t, err)
		var opened *pebble.Options
		db := newLevels(t, func(opts *pebble.Options) {
			c.plan.Levels = pebbleext.Uniform(filterpolicy.Bloom(10)).Levels
			storetest.Apply(opts, c.plan)
			filters.Apply(opts)
			opened = opts
		})
		require.NoError(t, filters.Start(db, opened))
		read := scanAbsentPrefixes(t, db, pebbleext.ReaderOf(db, nil, pebbleext.Options{Plan: pebbleext.Plan{Prefix: e}}, filters), e)
		t.Logf("%s: %+v", name, read)
		require.Equal(t, c.skips, 10*read.asked < read.index, name)
		require.Equal(t, !c.skips, read.asked >= read.index, name)
		require.NoError(t, filters.Close())
	}
}

// TestOpenedStoreHasPrefixesInMemory scans absent prefixes of a table. One in a
// hundred reads anything: that 15 of 100 do has a chance below 1e-11.
func TestOpenedStoreHasPrefixesInMemory(t *testing.T) {
	plan := pebbleext.Uniform(filterpolicy.Bloom(10))
	plan.Prefix = indexfilter.FixedLength(7)
	db, err := pebbleext.Open("", storetest.Options(vfs.NewMem(), nil), pebbleext.Options{Plan: plan, FilterMemory: 1 << 20})
	require.NoError(t, err)
	const prefixes = 100
	for i := range prefixes {
		require.NoError(t, db.Set(fmt.Appendf(nil, "key%04d/a", 2*i), nil, nil))
	}
	require.NoError(t, db.Flush())
	passed := 0
	for i := range prefixes {
		iter, err := db.NewPrefixIter(fmt.Appendf(nil, "key%04d", 2*i+1), nil)
		require.NoError(t, err)
		if scanNothing(t, iter.Iterator, i) > 0 {
			passed++
		}
	}
	require.Less(t, passed, 15)
	require.NoError(t, db.Close())
}

// levelKeys is how many keys each level of newLevels has.
const levelKeys = 300

// newLevels makes a store of four tables in L0, with the same prefixes of eight
// bytes in each.
func newLevels(t *testing.T, edit func(*pebble.Options)) *pebble.DB {
	db := storetest.New(t, func(opts *pebble.Options) {
		opts.DisableAutomaticCompactions, opts.L0StopWritesThreshold = true, 100
		opts.MemTableSize = 1 << 20
		edit(opts)
	})
	for level := range 4 {
		for i := range levelKeys {
			require.NoError(t, db.Set(fmt.Appendf(nil, "key%04d/%d", 2*i, level), make([]byte, 200), nil))
		}
		require.NoError(t, db.Flush())
	}
	return db
}

// scanAbsentPrefixes scans prefixes between those of newLevels.
func scanAbsentPrefixes(t *testing.T, db *pebble.DB, r *pebbleext.Reader, written indexfilter.Extractor) (read bytesRead) {
	for i := range levelKeys - 1 {
		prefix := fmt.Appendf(nil, "key%04d/", 2*i+1)
		iter, err := r.NewPrefixIter(prefix, nil)
		require.NoError(t, err)
		end := append(prefix[:len(prefix)-1:len(prefix)-1], '/'+1)
		options := &pebble.IterOptions{LowerBound: prefix, UpperBound: end}
		read.add(t, i, db, iter, options, indexfilter.PrefixPropertyName(written))
	}
	return read
}

// TestBoundedIterSkipsDataBlocks looks for keys between those of a store, whose
// data blocks have 4 keys. Range filters let one block in 22 pass of 1,196;
// that it is one in 10 has a chance far below one in a million.
func TestBoundedIterSkipsDataBlocks(t *testing.T) {
	db := storetest.New(t, func(opts *pebble.Options) {
		opts.DisableAutomaticCompactions, opts.L0StopWritesThreshold = true, 100
		opts.MemTableSize = 1 << 20
		storetest.Apply(opts, pebbleext.Plan{Range: 8})
	})
	const levels, keys = 4, 300
	rng := rand.New(rand.NewPCG(1, 1))
	for range levels { // of L0
		for range keys {
			require.NoError(t, db.Set(fmt.Appendf(nil, "key%016x", rng.Uint64()), make([]byte, 100), nil))
		}
		require.NoError(t, db.Flush())
	}
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
	var read bytesRead
	for i := range keys {
		lower := fmt.Appendf(nil, "key%016x", rng.Uint64())
		options := &pebble.IterOptions{LowerBound: lower, UpperBound: append(bytes.Clone(lower), 'f')}
		iter, err := r.NewBoundedIter(options)
		require.NoError(t, err)
		read.add(t, i, db, iter, options, indexfilter.RangePropertyName(nil))
	}
	require.Less(t, read.share(t), 0.1)
}

// bytesRead are the bytes of blocks that scans of nothing read: with filters,
// without, and with all data blocks skipped.
type bytesRead struct{ asked, unasked, index uint64 }

// add scans with an iterator and with those of Pebble with the same bounds.
func (b *bytesRead) add(t *testing.T, i int, db *pebble.DB, iter *pebbleext.BoundedIter, options *pebble.IterOptions, property string) {
	b.asked += scanNothing(t, iter.Iterator, i)
	plain, err := db.NewIter(options)
	require.NoError(t, err)
	b.unasked += scanNothing(t, plain, i)
	options.PointKeyFilters = []pebble.BlockPropertyFilter{denyBlocks(property)}
	denied, err := db.NewIter(options)
	require.NoError(t, err)
	b.index += scanNothing(t, denied, i)
}

// share returns that of the data blocks that filters let pass.
func (b *bytesRead) share(t *testing.T) float64 {
	share := float64(b.asked-b.index) / float64(b.unasked-b.index)
	t.Logf("%.4f of the data blocks are read", share)
	return share
}

// scanNothing looks for keys forwards or backwards, and returns the bytes of
// blocks that it took to find none.
func scanNothing(t *testing.T, iter *pebble.Iterator, i int) (bytes uint64) {
	if i%2 == 0 {
		require.False(t, iter.First())
	} else {
		require.False(t, iter.Last())
	}
	bytes = iter.Stats().InternalStats.BlockBytes
	require.NoError(t, iter.Close())
	return bytes
}

// denyBlocks are filters of a property that skip all data blocks.
type denyBlocks string

func (f denyBlocks) Name() string                             { return string(f) }
func (f denyBlocks) Intersects(property []byte) (bool, error) { return len(property) < 2, nil }
func (f denyBlocks) SyntheticSuffixIntersects(property, _ []byte) (bool, error) {
	return f.Intersects(property)
}

// TestPrefixBounds: the bounds of a prefix hold all its keys and no others.
func TestPrefixBounds(t *testing.T) {
	for keysName, space := range storetest.KeySpaces() {
		t.Run(keysName, func(t *testing.T) {
			encode := func(key string) []byte { return []byte(key) }
			if space.Schema != nil {
				encode = func(key string) []byte { return cockroachkvs.EncodeMVCCKey(nil, []byte(key), 0, 0) }
			}
			db := storetest.New(t, space.SetOptions)
			var keys [][]byte
			for _, key := range []string{
				"a", "a\x00", "a\x00\x00", "a\x00\x01", "a\x01", "a\xfe", "a\xff", "a\xff\xff", "a\xff\xffz", "b", "b\x00", "c\x0d", "\xfe\xff", "\xff", "\xff\xff", "\xff\xff\x00", "\xff\xff\xff",
			} {
				keys = append(keys, encode(key))
				require.NoError(t, db.Set(encode(key), nil, nil))
			}
			r := pebbleext.ReaderOf(db, space.Comparer, pebbleext.Options{})
			for _, prefix := range []string{
				"", "a", "a\x00", "a\x00\x00", "a\x01", "a\xff", "a\xff\xff", "b", "b\xff", "c", "c\x0d", "d", "\xfe", "\xfe\xff", "\xff", "\xff\xff", "\xff\xff\xff", "\xff\xff\xff\xff",
			} {
				var want, got [][]byte
				for _, key := range keys {
					if bytes.HasPrefix(key, []byte(prefix)) {
						want = append(want, key)
					}
				}
				iter, err := r.NewPrefixIter([]byte(prefix), nil)
				require.NoError(t, err, "%q", prefix)
				for iter.First(); iter.Valid(); iter.Next() {
					got = append(got, bytes.Clone(iter.Key()))
				}
				require.NoError(t, iter.Close())
				require.Equal(t, want, got, "%q", prefix)
			}
		})
	}
}

// iterPair is a BoundedIter and a pebble.Iterator that are moved alike.
type iterPair struct {
	t            *testing.T
	rng          *rand.Rand
	keys         storetest.KeySpace
	prefix       []byte
	lower, upper []byte // of the prefix
	got          *pebbleext.BoundedIter
	want         *pebble.Iterator
	rangeKeys    bool   // are shown
	end          int    // of the last bounds
	done         string // the last moves
}

// open opens both iterators over a prefix, which may be empty.
func (p *iterPair) open(reader pebble.Reader, r *pebbleext.Reader, prefix []byte, options *pebble.IterOptions) {
	p.prefix = prefix
	if len(prefix) > 0 {
		p.lower, p.upper = p.boundsOf(prefix)
	}
	var err error
	p.got, err = r.NewPrefixIter(prefix, options)
	require.NoError(p.t, err)
	p.want, err = reader.NewIter(p.cut(options))
	require.NoError(p.t, err)
}

// boundsOf returns those of a prefix that ends with a letter or digit.
func (p *iterPair) boundsOf(prefix []byte) (lower, upper []byte) {
	end := bytes.Clone(prefix)
	end[len(end)-1]++
	return p.bound(prefix), p.bound(end)
}

// bound returns the first key that begins with prefix.
func (p *iterPair) bound(prefix []byte) []byte {
	if p.keys.Schema == nil {
		return prefix
	}
	return cockroachkvs.EncodeMVCCKey(nil, prefix, 0, 0)
}

// options have random bounds and kinds of keys.
func (p *iterPair) options() *pebble.IterOptions {
	o := &pebble.IterOptions{KeyTypes: pebble.IterKeyType(p.rng.IntN(3)), UseL6Filters: p.rng.IntN(2) == 0}
	p.rangeKeys = o.KeyTypes != pebble.IterKeyTypePointsOnly
	if p.rng.IntN(3) > 0 {
		o.LowerBound, o.UpperBound = p.bounds()
	}
	if o.KeyTypes == pebble.IterKeyTypePointsAndRanges && p.rng.IntN(2) == 0 {
		o.RangeKeyMasking.Suffix = p.keys.Suffix
	}
	return o
}

// bounds are random ones, near each other in one of two cases, and beginning
// where the last ones ended in one of three. Iterators over range keys take
// those without a suffix.
func (p *iterPair) bounds() (lower, upper []byte) {
	all := p.keys.Keys
	if p.rangeKeys {
		all = p.keys.Bounds
	}
	i, j := p.rng.IntN(len(all)), p.rng.IntN(len(all))
	if p.rng.IntN(3) == 0 {
		i = min(p.end, len(all)-1)
	}
	if p.rng.IntN(2) == 0 {
		j = min(i+p.rng.IntN(4), len(all)-1)
	}
	p.end = max(i, j)
	lower, upper = all[min(i, j)], all[p.end]
	switch p.rng.IntN(6) {
	case 0:
		lower = nil
	case 1:
		upper = nil
	case 2:
		if p.keys.Schema == nil {
			upper = append(bytes.Clone(lower), 0)
		}
	}
	return lower, upper
}

// cut returns the options of a plain iterator over the prefix.
func (p *iterPair) cut(options *pebble.IterOptions) *pebble.IterOptions {
	o, compare := *options, p.keys.Comparer.Compare
	if o.LowerBound == nil || p.lower != nil && compare(o.LowerBound, p.lower) < 0 {
		o.LowerBound = p.lower
	}
	if o.UpperBound == nil || p.upper != nil && compare(o.UpperBound, p.upper) > 0 {
		o.UpperBound = p.upper
	}
	if o.LowerBound != nil && o.UpperBound != nil && compare(o.LowerBound, o.UpperBound) > 0 {
		o.UpperBound = o.LowerBound
	}
	return &o
}

// key is one of the space, one in two of the prefix.
func (p *iterPair) key() []byte {
	keys := p.keys.Keys
	for range 50 {
		if key := keys[p.rng.IntN(len(keys))]; bytes.HasPrefix(key, p.prefix) {
			return key
		}
	}
	return keys[p.rng.IntN(len(keys))]
}

// move moves both iterators.
func (p *iterPair) move() {
	both := func(name string, move func(i *pebble.Iterator) bool) {
		p.done += " " + name
		require.Equal(p.t, move(p.want), move(p.got.Iterator), p.done)
	}
	key := p.key()
	switch p.rng.IntN(11) {
	case 0:
		both("First", (*pebble.Iterator).First)
	case 1:
		both("Last", (*pebble.Iterator).Last)
	case 2:
		both(fmt.Sprintf("SeekGE(%q)", key), func(i *pebble.Iterator) bool { return i.SeekGE(key) })
	case 3:
		both(fmt.Sprintf("SeekLT(%q)", key), func(i *pebble.Iterator) bool { return i.SeekLT(key) })
	case 4:
		both(fmt.Sprintf("SeekPrefixGE(%q)", key), func(i *pebble.Iterator) bool { return i.SeekPrefixGE(key) })
	case 5, 6:
		if p.want.Valid() {
			both("Next", (*pebble.Iterator).Next)
		}
	case 7:
		if p.want.Valid() {
			both("Prev", (*pebble.Iterator).Prev)
		}
	case 8:
		lower, upper := p.bounds()
		p.done += fmt.Sprintf(" SetBounds(%q, %q)", lower, upper)
		p.got.SetBounds(lower, upper)
		o := p.cut(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
		p.want.SetBounds(o.LowerBound, o.UpperBound)
	case 9:
		p.done += " SetOptions"
		o := p.options()
		p.got.SetOptions(o)
		p.want.SetOptions(p.cut(o))
	case 10:
		p.done += " Clone"
		p.clone()
	}
}

// clone clones both iterators, with other options in one of two cases, and goes
// on with the clones or with the originals.
func (p *iterPair) clone() {
	var gotOptions, wantOptions pebble.CloneOptions
	if p.rng.IntN(2) == 0 {
		gotOptions.IterOptions = p.options()
		wantOptions.IterOptions = p.cut(gotOptions.IterOptions)
	}
	got, err := p.got.Clone(gotOptions)
	require.NoError(p.t, err)
	want, err := p.want.Clone(wantOptions)
	require.NoError(p.t, err)
	clone := *p
	clone.got, clone.want = got, want
	if p.rng.IntN(2) == 0 {
		*p, clone = clone, *p
	}
	lower, upper := clone.bounds() // which are the clone's alone
	clone.got.SetBounds(lower, upper)
	clone.got.First()
	clone.want.First()
	require.NoError(p.t, clone.want.Close())
	require.NoError(p.t, clone.got.Close())
}

// difference tells in what the iterators differ.
func (p *iterPair) difference() string {
	got, want := position(p.got.Iterator), position(p.want)
	if got != want {
		return fmt.Sprintf("%s instead of %s", got, want)
	}
	return ""
}

func position(i *pebble.Iterator) string {
	if !i.Valid() {
		return fmt.Sprintf("no key, error %v", i.Error())
	}
	value, err := i.ValueAndErr()
	point, isRange := i.HasPointAndRange()
	text := fmt.Sprintf("%q = %x (error %v) point %v range %v", i.Key(), value, err, point, isRange)
	if isRange {
		start, end := i.RangeBounds()
		text += fmt.Sprintf(" %q-%q %q", start, end, i.RangeKeys())
	}
	return text
}

// close closes both iterators, which may fail if the last seek did: to a prefix
// out of bounds.
func (p *iterPair) close() {
	want, got := p.want.Close(), p.got.Close()
	require.Equal(p.t, fmt.Sprint(want), fmt.Sprint(got), p.done)
}

// TestBoundedIterMovesBackwards scans an empty range and then one before it. To
// find the first one empty, Pebble may pass a block that the filters deny and
// stop at one before that, whose last key is close. It would go on from there,
// though the block between has keys of the second range.
func TestBoundedIterMovesBackwards(t *testing.T) {
	db := storetest.New(t, func(opts *pebble.Options) { storetest.Apply(opts, pebbleext.Plan{Range: indexfilter.MinBits}) })
	key := func(n int) []byte { return fmt.Appendf(nil, "key%09d", n) }
	var numbers []int
	for cluster := range 10 {
		for i := range 40 + cluster { // blocks begin anywhere in it
			at := 10_000_000*cluster + 10*i + 1_000_000*min(i, 8)
			numbers = append(numbers, at)
			require.NoError(t, db.Set(key(at), make([]byte, 40), nil))
		}
	}
	storetest.CompactAll(t, db, []byte("a"), []byte("z"))
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
	for end := 2; end < len(numbers); end++ {
		begin := key(numbers[end] + 3)
		for _, c := range []struct{ upper, last []byte }{ // back to before the old bounds, and exactly to them
			{key(numbers[end]), key(numbers[end-1])},
			{begin, key(numbers[end])},
		} {
			iter, err := r.NewBoundedIter(&pebble.IterOptions{LowerBound: begin, UpperBound: key(numbers[end] + 6)})
			require.NoError(t, err)
			require.False(t, iter.Last())
			iter.SetBounds(key(numbers[end-2]), c.upper)
			require.True(t, iter.Last(), "%d", numbers[end])
			require.Equal(t, c.last, iter.Key())
			require.NoError(t, iter.Close())
		}
	}
}

// TestEmptyBounds are none, however they are set and whatever the iterator did.
func TestEmptyBounds(t *testing.T) {
	db := storetest.New(t, func(opts *pebble.Options) { storetest.Apply(opts, pebbleext.Plan{Range: 8}) })
	keys := storetest.Fill(t, db, 30, 10)
	r := pebbleext.ReaderOf(db, nil, pebbleext.Options{})
	for name, set := range map[string]func(*pebbleext.BoundedIter, *pebble.IterOptions){
		"SetOptions": (*pebbleext.BoundedIter).SetOptions,
		"SetBounds":  func(i *pebbleext.BoundedIter, o *pebble.IterOptions) { i.SetBounds(o.LowerBound, o.UpperBound) },
	} {
		for _, lower := range [][]byte{nil, {}, keys[20]} {
			for _, moved := range []bool{true, false} {
				iter, err := r.NewBoundedIter(nil)
				require.NoError(t, err)
				if moved {
					require.True(t, iter.First())
				}
				set(iter, &pebble.IterOptions{LowerBound: lower, UpperBound: []byte{}})
				shown := 0
				for ok := iter.First(); ok; ok = iter.Next() {
					shown++
				}
				want := len(keys)
				if len(lower) > 0 {
					want = 10
				}
				require.Equal(t, want, shown, "%s, %q, %t", name, lower, moved)
				require.NoError(t, iter.Close())
			}
		}
	}
}
