package ycsb

import "math/rand/v2"

// Operation is one request to the store.
type Operation struct {
	Kind Kind
	// Number is the record's number.
	Number uint64
	// Absent tells that no record has this number or key.
	Absent bool
	// Length is how many records a scan reads, if Prefix is 0.
	Length int
	// Prefix is how many bytes of the key are those of all keys of a scan.
	Prefix int
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
	prefix   int // bytes of a key that scans of a prefix ask for
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
	switch w.Distribution {
	case Latest:
		g.chooser = newLatest(last + 1)
	case Uniform:
		g.chooser = uniform{}
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
	switch {
	case op.Kind == Insert:
		op.Number = g.records.Take()
	case (op.Kind == Read || op.Kind == Scan) && g.workload.Absent > 0 && g.rng.Float64() < g.workload.Absent:
		op.Number, op.Absent = g.absent(), true
	default:
		op.Number = g.present()
	}
	switch {
	case op.Kind == Scan && g.workload.Prefix:
		op.Prefix = g.prefix
	case op.Kind == Scan:
		op.Length = 1 + g.rng.IntN(g.workload.maxScan())
	}
	return op
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
		if n := g.chooser.next(g.rng, last); n <= last {
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
