package objectstore

import (
	"sync"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
)

// Counts are requests for bytes of tables. Other are those for a table's end, when
// Pebble or resident filters open it.
type Counts struct {
	Total diskio.Count `json:"total"`
	diskio.Blocks
}

// Counter counts requests. It is safe for concurrent use.
type Counter struct {
	tables map[string]diskio.Table
	mu     sync.Mutex
	counts Counts
}

// NewCounter counts the requests for tables, which it has by their objects'
// names.
func NewCounter(tables map[string]diskio.Table) *Counter { return &Counter{tables: tables} }

// Count is an observer of a Bucket.
func (c *Counter) Count(r Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Total = c.counts.Total.Add(diskio.Count{Reads: 1, Bytes: r.Last - r.First})
	c.tables[r.Object].CountObject(&c.counts.Blocks, r.First, r.Last, r.Size)
}

// Take returns the counts so far, and starts again from zero.
func (c *Counter) Take() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.counts
	c.counts = Counts{}
	return taken
}
