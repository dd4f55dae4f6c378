package resident

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomBids are those of tables of many sizes, some of which cannot be cut, and
// some of which nobody asks.
func randomBids(rng *rand.Rand, n int) (bids []bid, missing []float64) {
	for range n {
		keys := math.Exp2(6 + 14*rng.Float64())
		m := math.Exp2(20 * rng.Float64())
		b := bid{most: 1 + 15*rng.Float64(), cut: rng.IntN(5) > 0}
		b.size = keys * b.most / 8
		b.worth = math.Log2(m * math.Ln2 * 8 / keys)
		if !b.cut {
			b.worth = math.Log2(m * (1 - rateOf(b.most, false)) / b.size)
		}
		if rng.IntN(10) == 0 {
			m, b.worth = 0, math.Inf(-1)
		}
		bids, missing = append(bids, b), append(missing, m)
	}
	return bids, missing
}

// reads returns those that bids miss at a price.
func reads(bids []bid, missing []float64, price float64) (n float64) {
	for i, b := range bids {
		n += missing[i] * rateOf(b.bits(price), b.cut)
	}
	return n
}

// steps are of bids, those that save most for each byte first.
type step struct {
	i           int
	bits, saves float64 // reads for each byte
}
type steps []step

func (s steps) Len() int           { return len(s) }
func (s steps) Less(i, j int) bool { return s[i].saves > s[j].saves }
func (s steps) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *steps) Push(x any)        { *s = append(*s, x.(step)) }
func (s *steps) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// greedy divides memory by a sixteenth of a bit at a time, each to whom it saves
// most, and returns the reads that are left.
func greedy(bids []bid, missing []float64, bytes float64) (left float64) {
	var s steps
	next := func(i int, from float64) {
		b := bids[i]
		to := min(max(from+1./16, 1), b.most)
		if !b.cut {
			to = b.most
		}
		if to > from {
			saves := missing[i] * (rateOf(from, b.cut) - rateOf(to, b.cut))
			heap.Push(&s, step{i, to, saves / (b.bytes(to) - b.bytes(from))})
		}
	}
	held := make([]float64, len(bids))
	for i := range bids {
		next(i, 0)
		left += missing[i]
	}
	for len(s) > 0 {
		at := heap.Pop(&s).(step)
		b := bids[at.i]
		if more := b.bytes(at.bits) - b.bytes(held[at.i]); more <= bytes {
			bytes -= more
			left -= at.saves * more
			held[at.i] = at.bits
			next(at.i, at.bits)
		}
	}
	return left
}

// TestPrice compares what the price leaves to read with what a greedy division
// leaves, and checks that memory is neither exceeded nor left over.
func TestPrice(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 50 {
		bids, missing := randomBids(rng, 200)
		all := total(bids, lowestPrice)
		for _, share := range []float64{0.02, 0.1, 0.3, 0.6, 0.9} {
			bytes := share * all
			price := priceFor(bids, bytes, lowestPrice)
			require.LessOrEqual(t, total(bids, price), bytes)
			require.LessOrEqual(t, reads(bids, missing, price), 1.25*greedy(bids, missing, bytes)+1e-9, "%v", share)
		}
		require.EqualValues(t, lowestPrice, priceFor(bids, all, lowestPrice), "all of them fit")
		require.EqualValues(t, 3, priceFor(bids, all, 3), "memory is worth more elsewhere")
		require.Zero(t, total(bids, priceFor(bids, 0, lowestPrice)))
	}
	require.EqualValues(t, lowestPrice, priceFor(nil, 0, lowestPrice))
}

// TestBytesOfWholeBlocks: what is bid for whole blocks holds them, as the arena
// puts each at the start of a line.
func TestBytesOfWholeBlocks(t *testing.T) {
	for size := range 4 * lineSize {
		b := bid{size: float64(size), most: 14, cut: true}
		require.GreaterOrEqual(t, int(b.bytes(b.most)), roundUp(size), size)
	}
}

// TestMoreBitsWhereTheyPay: of two filters, the one that is asked as often for a
// quarter of the keys has two bits a key more.
func TestMoreBitsWhereTheyPay(t *testing.T) {
	small, large := &filter{}, &filter{}
	for e, keys := range map[*filter]float64{small: 10_000, large: 40_000} {
		e.size, e.mu.keys, e.mu.most = int(keys*20/8), keys, 20
		e.mu.use.count(1000, 0, 0, 1)
	}
	bids := []bid{small.bid(1), large.bid(1)}
	price := priceFor(bids, 30_000, lowestPrice)
	require.InDelta(t, 2, bids[0].bits(price)-bids[1].bits(price), 1e-6)
	require.Zero(t, large.bid(0).bits(price), "nobody asks for keys that are not there")
}

// TestMissing: what a filter denied tells how many keys its tables lack, whatever
// its bits.
func TestMissing(t *testing.T) {
	for _, bits := range []float64{1, 1.5, 2, 6} {
		e := &filter{}
		e.mu.bits, e.mu.most = bits, 10
		denied := uint64(5000 * (1 - e.rate()))
		e.mu.use.count(20_000, 10_000, denied, e.rate())
		require.InEpsilon(t, 10_000, e.missing(0.5), 0.01, bits) // half of the queries
	}
	require.Equal(t, 0.375, rateOf(1.5, true), "the mean of 1/2 and 1/4")
}

func BenchmarkPrice(b *testing.B) {
	bids, _ := randomBids(rand.New(rand.NewPCG(1, 0)), 100_000)
	half := total(bids, lowestPrice) / 2
	for b.Loop() {
		priceFor(bids, half, lowestPrice)
	}
}
