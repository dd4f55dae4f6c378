package replay

import "container/list"

// cache is a block cache that forgets what was asked for longest ago. Pebble's
// own, Clock-PRO, keeps blocks that are asked for often a little better.
type cache struct {
	free    int64
	largest int64 // block that is kept at all
	recent  *list.List
	blocks  map[blockID]*list.Element
}

type blockID struct {
	table  int32
	offset uint64
}

type cachedBlock struct {
	id   blockID
	size int64
}

func newCache(size, shard int64) *cache {
	return &cache{free: size, largest: shard, recent: list.New(), blocks: map[blockID]*list.Element{}}
}

// ask reports whether the cache has a block, which it has from then on.
func (c *cache) ask(id blockID, size int64) bool {
	if e, ok := c.blocks[id]; ok {
		c.recent.MoveToFront(e)
		return true
	}
	if size > c.largest {
		return false
	}
	c.blocks[id] = c.recent.PushFront(cachedBlock{id, size})
	c.free -= size
	for c.free < 0 {
		oldest := c.recent.Back()
		b := c.recent.Remove(oldest).(cachedBlock)
		delete(c.blocks, b.id)
		c.free += b.size
	}
	return false
}
