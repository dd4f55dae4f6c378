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

// sources returns a source for each thread of a session, and the records that it
// draws from and inserts into, nil if keys are given.
func (b *Bench) sources(st *store.Store, w ycsb.Workload) (thread func(i int) source, records *ycsb.Records, err error) {
	if b.Keys != nil {
		return func(i int) source { return replay(b.Keys, i, b.Threads) }, nil, nil
	}
	within, err := st.Within()
	records = ycsb.NewRecords(uint64(b.Records))
	return func(i int) source {
		g := ycsb.NewGenerator(w, records, b.Operations+b.Warmup, b.Seed, i, b.Settings.Keys, within)
		return func(key []byte) (ycsb.Operation, []byte) {
			op := g.Next()
			return op, b.Settings.Keys.Append(key, op.Number)
		}
	}, records, err
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
