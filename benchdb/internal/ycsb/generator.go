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
	// ValueSize is that of the value to write, 0 for the usual one.
	ValueSize int
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
	expected int64    // operations of all threads
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
		expected: int64(expected),
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
	case KeyRanges:
		g.chooser = newKeyRanges(records.inOrder(keys))
	default:
		// YCSB expects up to twice the inserts that the mix promises.
		g.chooser = newScrambled(last+1, uint64(float64(expected)*w.Inserts()*2))
	}
	return g
}

// Next draws the next operation. An insert's number is taken from the records,
// to be acknowledged once it is written.
func (g *Generator) Next() Operation {
	op := Operation{Kind: g.kind()}
	if op.Kind == Insert || op.Kind == UniqueInsert {
		op.Number = g.records.Take()
		return op
	}
	share := g.absentShare()
	op.Absent = (op.Kind == Read || op.Kind == Scan) && share > 0 && g.rng.Float64() < share
	g.draw(&op)
	switch {
	case op.Kind == Scan:
		g.scan(&op)
	case op.Kind == Update && g.workload.Mixgraph:
		op.ValueSize = valueSize(g.rng)
	}
	return op
}

// absentShare is the share of the next operations that ask for absent keys.
func (g *Generator) absentShare() float64 {
	if !g.workload.Shifts {
		return g.workload.Absent
	}
	third := 3 * (g.records.drawn.Add(1) - 1) / g.expected
	return [3]float64{0, 1, 0.5}[min(third, 2)]
}

// draw gives an operation its number.
func (g *Generator) draw(op *Operation) {
	if op.Absent {
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
		op.Length = 1 + g.rng.IntN(maxScan)
		if g.workload.Mixgraph {
			op.Length = scanLength(g.rng)
		}
	case Prefixes:
		op.Prefix = g.prefix
	case Ranges:
		for g.bound(op); !g.fits(*op); g.bound(op) {
			g.draw(op)
		}
	}
}

// bound gives a scan the bounds of a range, which begins at an absent key or
// anywhere before the record that is asked for.
func (g *Generator) bound(op *Operation) {
	width := g.gap * uint64(g.workload.Width)
	op.Lower = g.keys.place(op.Number)
	if !op.Absent {
		op.Lower -= min(op.Lower, 1+g.rng.Uint64N(width-1))
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

// absent draws the number of an absent key: any, or if the workload prefers some
// records, one of as many as there are records, with the same preference.
func (g *Generator) absent() uint64 {
	const apart = 1 << 20 // so many are tried for each
	skewed := g.workload.Distribution != Uniform
	first := uint64(0)
	if skewed {
		first = firstAbsent + g.present()*apart
	}
	for i := uint64(0); ; i++ {
		n := first + i
		if !skewed {
			n = firstAbsent + g.rng.Uint64N(firstAbsent)
		}
		g.key = g.keys.Append(g.key[:0], n)
		if g.within(g.key) {
			return n
		}
	}
}
