package run

import (
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// source draws an operation and appends its key.
type source func(key []byte) (ycsb.Operation, []byte)

// Key is a key to look up.
type Key struct {
	Bytes  []byte
	Absent bool
}

// sources are those of a session's threads.
type sources struct {
	bench    *Bench
	workload ycsb.Workload
	records  *ycsb.Records
	within   func(key []byte) bool
}

func (b *Bench) sources(st *store.Store, w ycsb.Workload) (*sources, error) {
	s := &sources{bench: b, workload: w}
	if b.Keys != nil {
		return s, nil
	}
	s.records = ycsb.NewRecords(uint64(b.Records))
	var err error
	s.within, err = st.Within()
	return s, err
}

func (s *sources) thread(i int) source {
	b := s.bench
	if b.Keys != nil {
		return replay(b.Keys, i, b.Threads)
	}
	g := ycsb.NewGenerator(s.workload, s.records, b.Operations+b.warmup(), b.Seed, i, b.Settings.Keys, s.within)
	return func(key []byte) (ycsb.Operation, []byte) {
		op := g.Next()
		return op, b.Settings.Keys.Append(key, op.Number)
	}
}

// replay asks for every so many keys from one on, over and over.
func replay(keys []Key, first, step int) source {
	next := first % len(keys)
	return func(dst []byte) (ycsb.Operation, []byte) {
		key := keys[next]
		next = (next + step) % len(keys)
		return ycsb.Operation{Kind: ycsb.Read, Absent: key.Absent}, append(dst, key.Bytes...)
	}
}
