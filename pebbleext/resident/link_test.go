package resident

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

func TestKeySum(t *testing.T) {
	sums := map[keySum]string{}
	for _, keys := range [][]string{
		{}, {""}, {"", ""}, {"a"}, {"a", "a"}, {"b"}, {"a", "b"}, {"a", "b", "b"}, {"ab"},
	} {
		var s keySum
		for _, key := range keys {
			s.add([]byte(key))
		}
		require.NotContains(t, sums, s, "%q", keys)
		sums[s] = fmt.Sprint(keys)
	}
}

func TestLinksAreBounded(t *testing.T) {
	var l links
	sum := func(i int) (s keySum) {
		s.add(binary.BigEndian.AppendUint64(nil, uint64(i)))
		return s
	}
	for i := range 3 * maxLinks {
		l.put(sum(i), link{head: head{size: i}})
	}
	require.Len(t, l.links, maxLinks)
	_, ok := l.take(sum(0))
	require.False(t, ok)
	made, ok := l.take(sum(3*maxLinks - 1))
	require.True(t, ok)
	require.Equal(t, 3*maxLinks-1, made.size)
	_, ok = l.take(sum(3*maxLinks - 1))
	require.False(t, ok, "a filter is named once")
}

func TestKeySample(t *testing.T) {
	for _, n := range []int{0, 1, maxSample - 1, maxSample, maxSample + 1, 1000, 100_000} {
		var s keySample
		for i := range n {
			s.add(binary.BigEndian.AppendUint64(nil, uint64(i)))
		}
		require.GreaterOrEqual(t, len(s.keys), min(n, maxSample/2), n)
		require.LessOrEqual(t, len(s.keys), maxSample, n)
		for i, key := range s.keys {
			require.EqualValues(t, i*max(s.stride, 1), binary.BigEndian.Uint64(key), n)
		}
	}
}

// table writes the filter and the property of a table as Pebble does.
func table(f *Filters, filterKeys, tableKeys [][]byte) (property []byte, err error) {
	return tableOf(f, nil, filterKeys, tableKeys)
}

// tableOf is table with prefixes.
func tableOf(f *Filters, e indexfilter.Extractor, filterKeys, tableKeys [][]byte) (property []byte, err error) {
	w := policy{filterpolicy.Bloom(10), f, e}.NewWriter(pebble.TableFilter)
	c := &collector{filters: f, split: pebble.DefaultComparer.EnsureDefaults().Split}
	for i := range tableKeys {
		w.AddKey(filterKeys[i])
		if err := c.AddPointKey(pebble.InternalKey{UserKey: tableKeys[i]}, nil); err != nil {
			return nil, err
		}
	}
	block := w.Finish([]byte("before"))[len("before"):]
	property, err = c.FinishTable([]byte{7})
	if len(property) > 1 && identify(filterpolicy.Name, block) != identity(property[1:][:identitySize]) {
		return nil, errOther
	}
	return property[1:], err
}

func keys(from, n int) (keys [][]byte) {
	for i := range n {
		keys = append(keys, fmt.Appendf(nil, "key%06d", from+i))
	}
	return keys
}

func TestTableNamesItsFilter(t *testing.T) {
	f, err := New(Settings{Budget: 1 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	property, err := table(f, keys(0, 100), keys(0, 100))
	require.NoError(t, err)
	require.Len(t, property, identitySize)
	property, err = table(f, nil, nil)
	require.NoError(t, err)
	require.Empty(t, property, "a table without point keys has no filter")
	property, err = table(f, keys(0, 100), keys(1, 100))
	require.NoError(t, err)
	require.Empty(t, property, "a filter of other keys is not named")
	require.Equal(t, 1, f.Stats().Filters-f.Stats().Known+1)
}

// TestWrongLinks gives one table in a thousand the filter of another: the
// table's writer notices, and names none.
func TestWrongLinks(t *testing.T) {
	f, err := New(Settings{Budget: 8 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	const tables, wrongEvery = 2001, 1000
	for i := range tables {
		own := keys(100*i, 60)
		if i%wrongEvery != 0 {
			property, err := table(f, own, own)
			require.NoError(t, err)
			require.Len(t, property, identitySize)
			continue
		}
		w := policy{FilterPolicy: filterpolicy.Bloom(10), filters: f}.NewWriter(pebble.TableFilter)
		c := &collector{filters: f, split: pebble.DefaultComparer.EnsureDefaults().Split}
		for j, key := range keys(100*i+50, 60) { // of another table, with ten keys in common
			w.AddKey(key)
			require.NoError(t, c.AddPointKey(pebble.InternalKey{UserKey: own[j]}, nil))
		}
		w.(*filterWriter).sum = c.sum // the wrong link
		w.Finish(nil)
		property, err := c.FinishTable(nil)
		require.NoError(t, err)
		require.Empty(t, property)
	}
	require.EqualValues(t, 1+tables/wrongEvery, f.Stats().Rejected)
}

// TestPrefixQuery: only a table that names the same extractor is asked for a
// prefix, and its filter has those of all keys.
func TestPrefixQuery(t *testing.T) {
	f, err := New(Settings{Budget: 1 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	f.active.Store(true)
	length := func(n int) indexfilter.Extractor { return indexfilter.FixedLength(n) }
	for name, c := range map[string]struct {
		written, asked indexfilter.Extractor
		denies         bool
	}{
		"the same":       {length(8), length(8), true},
		"another length": {length(7), length(8), false},
		"none":           {nil, length(8), false},
		"without a name": {nil, nameless{length(8)}, false},
		"no name at all": {nameless{length(8)}, nameless{length(8)}, false},
	} {
		property, err := tableOf(f, c.written, keys(0, 100), keys(0, 100))
		require.NoError(t, err, name)
		denied := 0
		for i := range 1000 {
			q := f.PrefixQuery(c.asked, fmt.Appendf(nil, "key%05d/", i))
			may, err := q.Intersects(property)
			require.NoError(t, err)
			require.True(t, may || i >= 10, "%s, %d", name, i) // 100 keys, ten of each prefix
			if !may {
				denied++
			}
		}
		require.Equal(t, c.denies, denied > 900, "%s: %d", name, denied)
	}
	require.Nil(t, f.PrefixQuery(length(8), []byte("key")))
}

type nameless struct{ indexfilter.Extractor }

func (nameless) String() string { return "" }

// TestFilterWithoutPrefixes: a filter that lacks the prefixes that it shall
// have is not named. That it passes for all of 16 prefixes and more has a
// chance below 10^-30.
func TestFilterWithoutPrefixes(t *testing.T) {
	f, err := New(Settings{Budget: 1 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	w := policy{filterpolicy.Bloom(10), f, nil}.NewWriter(pebble.TableFilter).(*filterWriter)
	c := &collector{filters: f, split: pebble.DefaultComparer.EnsureDefaults().Split}
	for _, key := range keys(0, 1000) {
		w.AddKey(key)
		require.NoError(t, c.AddPointKey(pebble.InternalKey{UserKey: key}, nil))
	}
	w.extractor = indexfilter.FixedLength(8)
	w.Finish(nil)
	property, err := c.FinishTable(nil)
	require.NoError(t, err)
	require.Empty(t, property)
	require.EqualValues(t, 1, f.Stats().Rejected)
}

func FuzzProperty(f *testing.F) {
	filters, err := New(Settings{Budget: 1 << 20})
	require.NoError(f, err)
	property, err := tableOf(filters, indexfilter.FixedLength(8), keys(0, 100), keys(0, 100))
	require.NoError(f, err)
	filters.active.Store(true)
	f.Add(property)
	f.Add(property[:identitySize])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, property []byte) {
		q := filters.Query([]byte("key000007")) // of the table
		defer q.Done()
		may, err := q.Intersects(property)
		require.NoError(t, err)
		require.True(t, may)
		may, err = filters.PrefixQuery(indexfilter.FixedLength(8), []byte("key00000")).Intersects(property)
		require.NoError(t, err)
		require.True(t, may)
	})
}

// TestLevelThatIsNone hands over the filter of a policy for a level that no
// store has.
func TestLevelThatIsNone(t *testing.T) {
	f, err := New(Settings{Budget: 1 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	w := policy{FilterPolicy: filterpolicy.Bloom(10).ForLevel(100), filters: f}.NewWriter(pebble.TableFilter)
	w.AddKey([]byte("key"))
	w.Finish(nil)
	require.Equal(t, 1, f.Stats().Filters)
}

// TestNoRoomAtTheMoment: a table whose filter finds no room is looked at again,
// and not saved as one without a filter.
func TestNoRoomAtTheMoment(t *testing.T) {
	f, err := New(Settings{Budget: filterBytes - 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	file := tableFile{number: 1, tag: tableTag{1}}
	h := head{id: identity{1}, policy: filterpolicy.Bloom(10), size: 100}
	known, err := f.admit(file, h)
	require.NoError(t, err)
	require.Zero(t, known.tag)
	known.retry = time.Now()
	require.False(t, f.isCurrent(known))

	known, err = f.admit(file, head{})
	require.NoError(t, err)
	require.Equal(t, knownTable{tag: tableTag{1}}, known, "the table has none")
	f.bar(map[identity]bool{h.id: true})
	known, err = f.admit(file, h)
	require.NoError(t, err)
	require.Equal(t, knownTable{tag: tableTag{1}}, known, "it must not be asked")
}

// TestDroppedForBudget: a table is looked at again if its filter was dropped.
func TestDroppedForBudget(t *testing.T) {
	f := newTestFilters(t)
	known, err := f.admit(tableFile{number: 1}, head{id: identity{1}, policy: filterpolicy.Bloom(10), size: 100})
	require.NoError(t, err)
	require.True(t, f.isCurrent(known))
	require.NoError(t, f.SetBudget(0))
	require.False(t, f.isCurrent(known))
}

// TestVerify: only the whole block that a table names is it.
func TestVerify(t *testing.T) {
	block := []byte("a filter block")
	h := head{id: identify(filterpolicy.Name, block), policy: filterpolicy.Bloom(10), size: len(block)}
	require.NoError(t, h.verify(block))
	require.ErrorIs(t, h.verify(block[1:]), errOther)
	require.ErrorIs(t, h.verify([]byte("another block!")), errOther)
	h.policy = bloom.FilterPolicy(10)
	require.ErrorIs(t, h.verify(block), errOther)
}

// TestOrphansWait hands a filter over whose table a long compaction has not
// brought yet. Flushes in between wake the keeper often, which is no reason to
// drop it earlier.
func TestOrphansWait(t *testing.T) {
	f, err := New(Settings{Budget: 1 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	_, err = table(f, keys(0, 100), keys(0, 100))
	require.NoError(t, err)
	for range 2 * orphanTurns {
		f.count(time.Millisecond)
	}
	require.Equal(t, 1, f.Stats().Known)
	f.count(time.Duration(orphanTurns+1) * turnTime)
	require.Zero(t, f.Stats().Known)
}
