package ycsb

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
)

// falseAlarm is the probability with which each statistical test here would
// fail on a correct generator, were its seed not fixed.
const falseAlarm = 1e-7

// The first keys that YCSB itself loads, from the output of its basic binding.
func TestKeysAreThoseOfYCSB(t *testing.T) {
	for number, want := range []string{
		"user6284781860667377211", "user8517097267634966620", "user1820151046732198393",
	} {
		require.Equal(t, want, string(Keys(0).Append(nil, uint64(number))))
	}
}

// YCSB hashes with 64-bit FNV-1a, the number's low byte first, and takes Java's
// absolute value.
func TestKeysAreHashedLowByteFirst(t *testing.T) {
	for _, number := range []uint64{255, 256, 65_537, 199_999, 1 << 40, firstAbsent + 12_345} {
		h := fnv.New64a()
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, number))
		signed := int64(h.Sum64())
		require.Equal(t, fmt.Sprintf("user%d", max(signed, -signed)), string(Keys(0).Append(nil, number)))
	}
}

func TestKeySizes(t *testing.T) {
	for _, size := range []int{MinKeySize, 9, 16, usualKeySize - 1, usualKeySize, 24, 100} {
		seen := map[string]bool{}
		for number := range uint64(1000) {
			key := Keys(size).Append(nil, number)
			require.Len(t, key, size)
			seen[string(key)] = true
		}
		require.Len(t, seen, 1000)
	}
	require.Equal(t, string(Keys(0).Append(nil, 1)[4:]), strings.TrimLeft(string(Keys(40).Append([]byte("x"), 1)[5:]), "0"))
}

func TestNeighbouringKeysAreApart(t *testing.T) {
	require.NotEqual(t, Keys(0).Append(nil, 1000)[:6], Keys(0).Append(nil, 1001)[:6])
}

// chiSquare fails if counts do not fit the probabilities.
func chiSquare(t *testing.T, counts []int, probability func(i int) float64) {
	t.Helper()
	total := 0
	for _, c := range counts {
		total += c
	}
	statistic := 0.0
	for i, c := range counts {
		want := probability(i) * float64(total)
		require.Greater(t, want, 5.0, "cell %d is too rare for a chi-square test", i)
		statistic += (float64(c) - want) * (float64(c) - want) / want
	}
	limit := distuv.ChiSquared{K: float64(len(counts) - 1)}.Quantile(1 - falseAlarm)
	require.Less(t, statistic, limit)
}

// The generator is exact for ranks 0 and 1, and from there on follows the
// inverse of its power law, which the test computes cell by cell.
func TestZipfian(t *testing.T) {
	const items, draws = 1000, 1_000_000
	z := newZipfian(items)
	rng := rand.New(rand.NewPCG(1, 2))
	counts := make([]int, items)
	for range draws {
		counts[z.next(rng, items)]++
	}
	// A rank of r or more is drawn above u(r), the inverse of the power law.
	u := func(r float64) float64 { return (math.Pow(r/items, 1-theta) - 1 + z.eta) / z.eta }
	first := 1 / z.zeta
	second := (1 + math.Pow(0.5, theta)) / z.zeta
	chiSquare(t, counts, func(i int) float64 {
		above := max(u(float64(i+1)), 0)
		switch i {
		case 0:
			return first
		case 1:
			return second - first + max(0, u(2)-second)
		}
		return above - max(u(float64(i)), second)
	})
	require.InDelta(t, second-first, math.Pow(0.5, theta)/z.zeta, 1e-12)
}

func TestZipfianGrowsAsIfNew(t *testing.T) {
	grown := newZipfian(100)
	grown.grow(5000)
	require.InEpsilon(t, newZipfian(5000).zeta, grown.zeta, 1e-12)
}

func TestScrambledZetaIsThatOfItsItems(t *testing.T) {
	// Euler-Maclaurin from 10^6 on; the sum itself would take minutes.
	z := newZipfian(1_000_000).zeta
	tail := (math.Pow(scrambledItems, 1-theta) - math.Pow(1e6, 1-theta)) / (1 - theta)
	correction := (math.Pow(scrambledItems, -theta) - math.Pow(1e6, -theta)) / 2
	require.InDelta(t, scrambledZeta, z+tail+correction, 1e-6)
}

func TestScrambledSpreadsTheHotRecords(t *testing.T) {
	const records = 10_000
	s := newScrambled(records, 0)
	rng := rand.New(rand.NewPCG(3, 4))
	counts := make([]int, records+1)
	for range 100_000 {
		counts[s(rng, 0)]++
	}
	hottest := hash(0) % (records + 1)
	require.InDelta(t, 100_000/scrambledZeta, float64(counts[hottest]), 6*math.Sqrt(100_000/scrambledZeta))
}

func TestMixes(t *testing.T) {
	for _, w := range workloads {
		t.Run(w.Name, func(t *testing.T) {
			const draws = 100_000
			w.Absent = min(w.Absent, 0.3)
			records := NewRecords(5000)
			g := NewGenerator(w, records, draws, 7, 0, Keys(0), func([]byte) bool { return true })
			kinds := map[Kind]int{}
			absent := 0
			for range draws {
				op := g.Next()
				kinds[op.Kind]++
				switch {
				case op.Kind == Insert || op.Kind == UniqueInsert:
					records.Acknowledge(op.Number)
				case op.Absent:
					absent++
					require.GreaterOrEqual(t, op.Number, uint64(firstAbsent))
				default:
					require.LessOrEqual(t, op.Number, records.Last())
				}
				if op.Kind == Scan && w.Scans == Lengths {
					require.True(t, w.Mixgraph || 1 <= op.Length && op.Length <= maxScan)
				}
			}
			sum := 0.0
			for k, share := range w.Mix {
				sum += share
				requireShare(t, share, kinds[Kind(k)], draws)
			}
			require.InDelta(t, 1, sum, 1e-12)
			if !w.Shifts { // see TestShift
				requireShare(t, w.Absent, absent, draws)
			}
		})
	}
}

// requireShare fails if count differs from a binomial's mean by 5.5 standard
// deviations, a probability of 4e-8.
func requireShare(t *testing.T, share float64, count, draws int) {
	t.Helper()
	mean := share * float64(draws)
	require.InDelta(t, mean, float64(count), 5.5*math.Sqrt(mean*(1-share)))
}

func TestLatestPrefersTheNewest(t *testing.T) {
	w, err := Parse("d")
	require.NoError(t, err)
	g := NewGenerator(w, NewRecords(10_000), 1, 1, 0, Keys(0), nil)
	newest, reads := 0, 0
	for reads < 100_000 {
		op := g.Next()
		if op.Kind == Read {
			reads++
			if op.Number == 9999 {
				newest++
			}
		}
	}
	requireShare(t, 1/newZipfian(9999).zeta, newest, reads)
}

func TestUniformWithAbsentKeys(t *testing.T) {
	w, err := Parse(AbsentName)
	require.NoError(t, err)
	w.Absent = 0
	counts := make([]int, 100)
	g := NewGenerator(w, NewRecords(100), 1, 1, 0, Keys(0), nil)
	for range 100_000 {
		counts[g.Next().Number]++
	}
	chiSquare(t, counts, func(int) float64 { return 0.01 })
}

func TestAbsentKeysAreWithin(t *testing.T) {
	w, err := Parse(AbsentName)
	require.NoError(t, err)
	within := func(key []byte) bool { return key[4] == '7' }
	g := NewGenerator(w, NewRecords(10), 1, 1, 0, Keys(0), within)
	for range 100 {
		require.True(t, within(Keys(0).Append(nil, g.Next().Number)))
	}
}

// TestShift: records, then absent keys, then half of each.
func TestShift(t *testing.T) {
	w, err := Parse("shift")
	require.NoError(t, err)
	const third = 10_000
	g := NewGenerator(w, NewRecords(1000), 3*third, 1, 0, Keys(0), func([]byte) bool { return true })
	for _, share := range []float64{0, 1, 0.5, 0.5} {
		absent := 0
		for range third {
			if g.Next().Absent {
				absent++
			}
		}
		requireShare(t, share, absent, third)
	}
}

// TestSkewedAbsentKeys: some absent keys are as popular as some records are.
func TestSkewedAbsentKeys(t *testing.T) {
	w, err := Parse(AbsentName)
	require.NoError(t, err)
	w.Distribution = Zipfian
	const draws = 100_000
	counts := map[uint64]int{}
	within := func(key []byte) bool { return key[len(key)-1]%3 != 0 }
	g := NewGenerator(w, NewRecords(1000), draws, 1, 0, Keys(0), within)
	for range draws {
		op := g.Next()
		require.GreaterOrEqual(t, op.Number, uint64(firstAbsent))
		require.True(t, within(Keys(0).Append(nil, op.Number)))
		counts[op.Number]++
	}
	require.LessOrEqual(t, len(counts), 1001)
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	require.Greater(t, most, draws/30, "the most popular of 10^10 items is one of 26 draws")
}

func TestSeedsAndThreads(t *testing.T) {
	w, err := Parse("C")
	require.NoError(t, err)
	draw := func(seed uint64, thread int) (ops []Operation) {
		g := NewGenerator(w, NewRecords(100_000), 1, seed, thread, Keys(0), nil)
		for range 50 {
			ops = append(ops, g.Next())
		}
		return ops
	}
	require.Equal(t, draw(1, 0), draw(1, 0))
	require.NotEqual(t, draw(1, 0), draw(2, 0))
	require.NotEqual(t, draw(1, 0), draw(1, 1))
}

func TestRecordsAcknowledgeInOrder(t *testing.T) {
	r := NewRecords(10)
	a, b := r.Take(), r.Take()
	require.Equal(t, []uint64{10, 11}, []uint64{a, b})
	r.Acknowledge(b)
	require.Equal(t, uint64(9), r.Last())
	r.Acknowledge(a)
	require.Equal(t, uint64(11), r.Last())
}

func TestParseNamesTheChoice(t *testing.T) {
	_, err := Parse("G")
	require.EqualError(t, err, `unknown workload "G"; there are absent, A, B, C, D, E, F, prefix, prefix-absent, range, range-absent, range-10, range-100, unique, shift, mixgraph`)
}

func TestValues(t *testing.T) {
	v := NewValues(100, 1)
	require.Len(t, v.Of(5), 100)
	require.Equal(t, v.Of(5), NewValues(100, 1).Of(5))
	require.NotEqual(t, v.Of(5), v.Of(6))
	require.NotEqual(t, v.Of(5), NewValues(100, 2).Of(5))
}

// TestPrefixes: of prefixes that scans ask for, fewer than one in a thousand is
// that of another record, and absent ones have none; 300 of 100,000 is far more
// than 100 give by chance.
func TestPrefixes(t *testing.T) {
	const count = 100_000
	for _, keys := range []Keys{0, 8, 12, 23, 40} {
		records := map[string]int{}
		length := keys.PrefixLength(count)
		for n := range uint64(count) {
			key := keys.Append(nil, n)
			records[string(key[:min(length, len(key))])]++
		}
		require.Greater(t, len(records), count-300, keys)
		w, err := Parse("prefix-absent")
		require.NoError(t, err)
		g := NewGenerator(w, NewRecords(count), count, 1, 0, keys, func([]byte) bool { return true })
		present := 0
		for range count {
			op := g.Next()
			require.Equal(t, Scan, op.Kind)
			require.Equal(t, length, op.Prefix)
			require.True(t, op.Absent)
			key := keys.Append(nil, op.Number)
			present += min(records[string(key[:min(length, len(key))])], 1)
		}
		require.Less(t, present, 300, keys)
	}
}

// TestRanges: ranges of width 1 have one record or none, as their keys are
// ordered, and wider ones as many as they say, to 5.5 standard deviations.
func TestRanges(t *testing.T) {
	const count, draws = 10_000, 2000
	for _, keys := range []Keys{0, 8, 12, 23, 40} {
		var records []string
		for n := range uint64(count) {
			records = append(records, string(keys.Append(nil, n)))
		}
		slices.Sort(records)
		for _, w := range workloads {
			if w.Scans != Ranges {
				continue
			}
			g := NewGenerator(w, NewRecords(count), draws, 1, 0, keys, func([]byte) bool { return true })
			found := 0
			for range draws {
				op := g.Next()
				first, _ := slices.BinarySearch(records, string(keys.AppendAt(nil, op.Lower)))
				last, _ := slices.BinarySearch(records, string(keys.AppendAt(nil, op.Upper)))
				found += last - first
				key := string(keys.Append(nil, op.Number))
				switch {
				case op.Absent:
					require.Equal(t, first, last, "%d, %s", keys, w.Name)
				case w.Width == 1:
					require.Equal(t, first+1, last, "%d, %s", keys, w.Name)
					fallthrough
				default:
					require.Contains(t, records[first:last], key)
				}
			}
			if w.Width > 1 { // and the record itself
				mean := float64(w.Width + 1)
				require.InDelta(t, mean, float64(found)/draws, mean*0.05+5.5*math.Sqrt(mean/draws), "%d, %s", keys, w.Name)
			}
		}
	}
}
