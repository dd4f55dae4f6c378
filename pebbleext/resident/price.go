package resident

import "math"

// A filter is in memory with as many bits as pay. One of n keys, with b bits for
// each, that is asked q times for keys that its table lacks, passes q·2^−b of
// them, each of which costs a read. So a byte more saves
//
//	q · 2^−b · ln 2 · 8/n
//
// reads. Memory is divided best where that is the same for all filters, the
// price of a byte: the bits of each are log2(8·ln2·q/n) − log2(price), from none
// to those that its block has. A block that cannot be cut is in memory if it
// saves as much for each of its bytes. The price is the least at which all fit.

// use is how much a filter was asked for of late, in sampled queries times the
// sampling period. Each number ages.
type use struct {
	asked    float64 // by lookups that opened one of its tables
	answered float64 // of these, while the block was in memory
	lacking  float64 // of those, for keys that its tables lack
}

func (u *use) age(factor float64) {
	u.asked *= factor
	u.answered *= factor
	u.lacking *= factor
}

// count adds queries of a filter in memory that passes keys which its tables
// lack at a rate: what it denied is not all that they lack.
func (u *use) count(asked, answered, denied uint64, rate float64) {
	u.asked += float64(asked)
	u.answered += float64(answered)
	if denied > 0 {
		u.lacking += min(float64(denied)/(1-rate), float64(answered))
	}
}

// priorAnswers is how many answers a filter is credited with before it gave
// any, with the share of lacking keys that others of its level have: what it
// saves is only seen once it is in memory.
const priorAnswers = 16

// missing estimates for how many keys that its tables lack the filter was asked.
func (e *filter) missing(share float64) float64 {
	u := &e.mu.use
	return u.asked * min(1, (u.lacking+priorAnswers*share)/(u.answered+priorAnswers))
}

// rate is at which the filter passes keys that its tables lack, all of them if
// it is not in memory.
func (e *filter) rate() float64 { return rateOf(e.mu.bits, e.mu.most > 0) }

// rateOf is the rate of so many bits a key: of a whole Bloom filter if they
// cannot be cut. Fractions are the mean of two numbers of columns.
func rateOf(bits float64, cut bool) float64 {
	if !cut {
		return math.Exp2(-bits * math.Ln2)
	}
	whole, fraction := math.Modf(bits)
	return math.Exp2(-whole) * (1 - fraction/2)
}

// bid is what a filter offers for memory.
type bid struct {
	worth float64 // log2 of the reads that a byte saves, of the first bits
	size  float64 // bytes of the whole block
	most  float64 // bits a key
	cut   bool
}

// bid returns what a filter offers if that share of the queries of its level is
// for keys that tables lack.
func (e *filter) bid(share float64) bid {
	b := bid{size: float64(e.size), most: e.mu.most, cut: e.mu.most > 0}
	missing := e.missing(share)
	if b.cut {
		b.worth = math.Log2(missing * math.Ln2 * b.most / b.size)
	} else {
		b.most = b.size * 8 / e.mu.keys
		b.worth = math.Log2(missing * (1 - rateOf(b.most, false)) / b.size)
	}
	return b
}

// bits returns the bits a key that pay at a price, given by its log2. Less than
// one cannot be had: half of it is taken for one.
func (b bid) bits(price float64) float64 {
	pays := b.worth - price
	switch {
	case math.IsNaN(pays) || pays < 0 || b.cut && pays < 0.5:
		return 0
	case !b.cut:
		return b.most
	}
	return min(max(pays, 1), b.most)
}

// bytes returns the memory of so many bits a key: an estimate, but enough for all
// that the block has, or one filter is evicted in each turn and comes back.
func (b bid) bytes(bits float64) float64 {
	if bits == 0 {
		return 0
	}
	const beside = 0.02 // bits a key that a block has beside those
	return b.size*(bits+beside)/(b.most+beside) + lineSize
}

// Prices, as log2, are between what never was paid and what nobody pays.
const (
	lowestPrice  = -100
	highestPrice = 100
)

// priceFor returns the least price, at least the one given, at which what is
// bid for takes no more than so many bytes. It goes through the bids 25 times,
// so that it is right within a 2^18th bit.
func priceFor(bids []bid, bytes, least float64) float64 {
	if total(bids, least) <= bytes {
		return least
	}
	low, high := least, float64(highestPrice)
	for range 25 {
		middle := (low + high) / 2
		if total(bids, middle) <= bytes {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

func total(bids []bid, price float64) (bytes float64) {
	for i := range bids {
		bytes += bids[i].bytes(bids[i].bits(price))
	}
	return bytes
}
