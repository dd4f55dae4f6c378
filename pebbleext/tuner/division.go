package tuner

import (
	"fmt"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/levelplan"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// division is how a memory is divided between resident filters and the block
// cache, which has all of it at first.
type division struct {
	filters *resident.Filters
	cache   *pebble.Cache
	bytes   int64  // of the filters
	giveUp  func() // makes the cache have them again
}

func newDivision(s Settings, cache *pebble.Cache) (*division, error) {
	switch {
	case s.Resident == nil:
		return nil, nil
	case s.Budget.Reads.Get:
		return nil, fmt.Errorf("pebble.DB.Get asks no resident filters; a tuner has them for Readers only")
	case cache == nil:
		return nil, fmt.Errorf("a tuner of resident filters divides Options.Cache, which is not set")
	case s.Budget.Bytes > cache.MaxSize():
		return nil, fmt.Errorf("a tuner's budget of %d bytes is more than the cache's %d", s.Budget.Bytes, cache.MaxSize())
	}
	return &division{filters: s.Resident, cache: cache, giveUp: func() {}}, nil
}

// memory returns all of the memory but what memtables have of it, as one that
// is to be divided as it is now.
func (d *division) memory(db *pebble.DB) levelplan.Memory {
	all := d.cache.MaxSize()
	return levelplan.Memory{
		Cache:    max(all-int64(db.Metrics().MemTable.Size), 0),
		Shard:    levelplan.CacheShard(all),
		Resident: d.bytes > 0,
	}
}

// spare is the share of resident filters' bytes that they may take beyond: for
// what finds them, and as long as tables have filters of the plan before.
const spare = 0.1

// bytesOf returns what filters get that an option expects to have some bytes.
func bytesOf(o levelplan.Option) int64 {
	if !o.Memory.Resident {
		return 0
	}
	return int64(float64(o.Bytes) * (1 + spare))
}

// differs reports whether filters of some bytes are worth a change.
func (d *division) differs(bytes int64) bool {
	return (bytes > 0) != (d.bytes > 0) || math.Abs(float64(bytes-d.bytes)) > spare/2*float64(d.bytes)
}

// set gives the filters some bytes of the memory.
func (d *division) set(bytes int64) error {
	d.giveUp()
	d.giveUp = d.cache.Reserve(int(bytes))
	if err := d.filters.SetBudget(bytes); err != nil {
		return err // and tried again
	}
	d.bytes = bytes
	return nil
}
