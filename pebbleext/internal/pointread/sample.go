package pointread

import (
	"cmp"
	"slices"

	"github.com/zeebo/xxh3"
)

// Table is a table's file, or a part of one.
type Table struct {
	File, Size uint64
	Remote     bool // in object storage
}

// Head is what a file says of its filters.
type Head struct {
	FilterShare float64 // bytes of table filter for each byte of the file
	Lacks       bool    // a table filter that can be read
	Indexed     bool    // has index filters
	Named       bool    // names its filter, which can be in memory
}

// Sampler finds out what filters a store's tables have from a few of them. Files
// that it has read before it does not read again. It is for one goroutine at a
// time.
type Sampler struct {
	Read  func(Table) (Head, error)
	known map[uint64]Head // of the last sample
}

const (
	// sampled is how many tables of a level are read. A head takes some four
	// small reads.
	sampled = 8
	// sampledRemote is the same for tables in object storage, where each read is
	// a request.
	sampledRemote = 1
)

// Sample estimates what the tables of levels have, the last of which is L6.
// Resident memory serves them if most name their filters. Where a table cannot be
// read, others stand for it.
func (s *Sampler) Sample(levels [][]Table, cache, resident int64) Filters {
	f := Filters{Cache: cache}
	known := make(map[uint64]Head)
	var size, named float64
	for level, tables := range levels {
		l := s.level(tables, known)
		bytes := int64(l.filterShare * l.size)
		f.All += bytes
		f.Lack = f.Lack || l.lacks
		f.Index = f.Index || l.indexed
		if level < len(levels)-1 {
			f.Upper += bytes
			f.UpperLack = f.UpperLack || l.lacks
		}
		size += l.size
		named += l.namedShare * l.size
	}
	s.known = known
	if 2*named >= size {
		f.Resident = resident
	}
	return f
}

// levelSample is what the sample of a level says. Shares are of its bytes.
type levelSample struct {
	size                    float64
	filterShare, namedShare float64
	lacks, indexed          bool // some table
}

// level samples tables by the hashes of their numbers, so that most of a sample
// stays as tables come and go.
func (s *Sampler) level(tables []Table, known map[uint64]Head) (l levelSample) {
	tables = slices.Clone(tables)
	slices.SortFunc(tables, func(a, b Table) int { return cmp.Compare(a.hash(), b.hash()) })
	most, read := sampled, 0
	var size, filters, named float64
	for _, t := range tables {
		l.size += float64(t.Size)
		if t.Remote {
			most = sampledRemote
		}
		if read >= most {
			continue
		}
		head, ok := s.known[t.File]
		if !ok {
			var err error
			if head, err = s.Read(t); err != nil {
				continue
			}
		}
		known[t.File] = head
		read++
		size += float64(t.Size)
		filters += head.FilterShare * float64(t.Size)
		if head.Named {
			named += float64(t.Size)
		}
		l.lacks = l.lacks || head.Lacks
		l.indexed = l.indexed || head.Indexed
	}
	if size > 0 {
		l.filterShare, l.namedShare = filters/size, named/size
	}
	return l
}

func (t Table) hash() uint64 { return xxh3.HashSeed(nil, t.File) }
