package replay

import (
	"container/list"
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// cache is a block cache in shards, as Pebble's is.
type cache []*shard

// shard keeps blocks that were asked for again, and in a part of its size those
// that were not: a segmented LRU (Karedla, Love and Wherry, "Caching Strategies
// to Improve Disk System Performance", 1994). Pebble's Clock-PRO also tells such
// blocks apart, so that indexes stay when data blocks pass through.
type shard struct {
	size        int64
	once, again segment
	blocks      map[blockID]*list.Element
}

// segment is blocks, the one asked for last in front.
type segment struct {
	free int64
	list.List
}

type blockID struct {
	table  int32
	offset uint64
}

type cachedBlock struct {
	id   blockID
	size int64
	in   *segment
}

// onceShare is the part of a shard for blocks that were asked for once.
const onceShare = 0.2

// newCache returns a cache, which keeps nothing if what a store reserves leaves no
// size for it.
func newCache(size, shards int64) cache {
	c := make(cache, shards)
	for i := range c {
		s := &shard{size: max(size, 0) / shards, blocks: map[blockID]*list.Element{}}
		s.once.free = int64(onceShare * float64(s.size))
		s.again.free = s.size - s.once.free
		c[i] = s
	}
	return c
}

// ask reports whether the cache has a block, which it has from then on unless it
// is larger than a shard.
func (c cache) ask(id blockID, size int64) bool {
	var text [12]byte
	binary.LittleEndian.PutUint32(text[:], uint32(id.table))
	binary.LittleEndian.PutUint64(text[4:], id.offset)
	return c[xxh3.Hash(text[:])%uint64(len(c))].ask(id, size)
}

func (s *shard) ask(id blockID, size int64) bool {
	e, ok := s.blocks[id]
	switch {
	case ok:
		s.put(&s.again, s.take(e))
	case size <= s.size:
		s.put(&s.once, cachedBlock{id: id, size: size})
	}
	s.trim()
	return ok
}

func (s *shard) put(to *segment, b cachedBlock) {
	b.in = to
	s.blocks[b.id] = to.PushFront(b)
	to.free -= b.size
}

func (s *shard) take(e *list.Element) cachedBlock {
	b := e.Value.(cachedBlock)
	b.in.Remove(e)
	b.in.free += b.size
	delete(s.blocks, b.id)
	return b
}

// trim makes room: the oldest of the blocks asked for again has another chance
// among the others.
func (s *shard) trim() {
	for s.again.free < 0 {
		s.put(&s.once, s.take(s.again.Back()))
	}
	for s.once.free+s.again.free < 0 && s.once.Len() > 0 {
		s.take(s.once.Back())
	}
}
