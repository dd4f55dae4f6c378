package ycsb

import (
	"math/rand/v2"
	"slices"
)

// Operation is one request to the store.
type Operation struct {
	Kind Kind
	// Number is the record's number.
	Number uint64
	// Absent tells that no record has this number or key, or that none lies in the
	// range of a scan.
	Absent bool
	// Scans is what a scan reads.
	Scans Scans
	// Length is how many records a scan of Lengths reads.
	Length int
	// Prefix is how many bytes of the key are those of all keys of a scan.
	Prefix int
	// Lower and Upper are the bounds of a range, for Keys.AppendAt.
	Lower, Upper uint64
}

// firstAbsent is the least number of an absent key, above those of all records.
const firstAbsent = 1 << 62

// Generator draws the operations of one thread. It is not safe for concurrent
// use.
type Generator struct {
	workload Workload
	records  *Records
	chooser  chooser
	rng      *rand.Rand
	keys     Keys
	prefix   int      // bytes of a key that scans of a prefix ask for
	gap      uint64   // mean distance of records' places
	places   []uint64 // of the first records, sorted, if ranges are drawn by them
	within   func(key []byte) bool
	key      []byte
}

// NewGenerator returns the operations of one thread of a workload. The threads
// of a run share records and seed; expected is the number of operations of all
// of them. Absent keys are drawn until within accepts one.
func NewGenerator(w Workload, records *Records, expected int, seed uint64, thread int, keys Keys, within func(key []byte) bool) *Generator {
	g := &Generator{
		workload: w,
		records:  records,
		rng:      rand.New(rand.NewPCG(seed, uint64(thread))),
		keys:     keys,
		within:   within,
	}
	last := records.Last()
	g.prefix = keys.PrefixLength(last + 1)
	g.gap = keys.places() / (last + 1)
	if w.Width == 1 {
		for n := range last + 1 {
			g.places = append(g.places, keys.place(n))
		}
		slices.Sort(g.places)
	}
	switch w.Distribution {
	case Latest:
		g.chooser = newLatest(last + 1)
	case Uniform:
		g.chooser = uniform
	default:
		// YCSB expects up to twice the inserts that the mix promises.
		g.chooser = newScrambled(last+1, uint64(float64(expected)*w.Mix[Insert]*2))
	}
	return g
}

// Next draws the next operation. An insert's number is taken from the records,
// to be acknowledged once it is written.
func (g *Generator) Next() Operation {
	op := Operation{Kind: g.kind()}
	if op.Kind == Insert {
		op.Number = g.records.Take()
		return op
	}
	reads := op.Kind == Read || op.Kind == Scan
	op.Absent = reads && g.workload.Absent > 0 && g.rng.Float64() < g.workload.Absent
	g.draw(&op)
	if op.Kind == Scan {
		g.scan(&op)
	}
	return op
}

// draw gives an operation its number.
func (g *Generator) draw(op *Operation) {
	if op.Absent && g.workload.Scans != RangesBehind {
		op.Number = g.absent()
	} else {
		op.Number = g.present()
	}
}

// scan gives a scan what it reads.
func (g *Generator) scan(op *Operation) {
	op.Scans = g.workload.Scans
	switch op.Scans {
	case Lengths:
		op.Length = 1 + g.rng.IntN(g.workload.maxScan())
	case Prefixes:
		op.Prefix = g.prefix
	case Ranges, RangesBehind:
		for g.bound(op); !g.fits(*op); g.bound(op) {
			g.draw(op)
		}
	}
}

// bound gives a scan the bounds of a range. Those of a Width begin anywhere
// before the record that is asked for, others right before it.
func (g *Generator) bound(op *Operation) {
	width, before := g.gap*uint64(g.workload.Width), uint64(1)
	if width == 0 {
		width = g.gap * uint64(1+g.rng.IntN(g.workload.maxScan()))
	} else {
		before += g.rng.Uint64N(width - 1)
	}
	place := g.keys.place(op.Number)
	switch {
	case op.Scans == RangesBehind:
		op.Lower = place + 1
	case op.Absent:
		op.Lower = place
	default:
		op.Lower = place - min(place, before)
	}
	op.Upper = op.Lower + width
}

// fits reports whether a range of width 1 has as many records as it shall.
func (g *Generator) fits(op Operation) bool {
	if g.workload.Width != 1 {
		return true
	}
	first, _ := slices.BinarySearch(g.places, op.Lower)
	last, _ := slices.BinarySearch(g.places, op.Upper)
	if op.Absent {
		return first == last
	}
	return last-first == 1
}

func (g *Generator) kind() Kind {
	u := g.rng.Float64()
	kind := Kinds
	for k, share := range g.workload.Mix {
		if share == 0 {
			continue
		}
		kind = Kind(k)
		if u < share {
			break
		}
		u -= share
	}
	return kind
}

func (g *Generator) present() uint64 {
	for {
		last := g.records.Last()
		if n := g.chooser(g.rng, last); n <= last {
			return n
		}
	}
}

func (g *Generator) absent() uint64 {
	for {
		n := firstAbsent + g.rng.Uint64N(firstAbsent)
		g.key = g.keys.Append(g.key[:0], n)
		if g.within(g.key) {
			return n
		}
	}
}
