package resident

import (
	"fmt"
	"strings"
)

// Stats are figures of the filters in memory. Those of queries are estimates
// from a sample and come up to a quarter of a second late.
type Stats struct {
	// Budget is the bytes that filters may take: without one of Settings, up to
	// which they may take memory off the block cache.
	Budget int64
	// Used is how many of these are taken, by Filters blocks and by what finds
	// them and other known filters.
	Used    int64
	Known   int // filters that tables of the store have
	Filters int // of these, in memory, with all of their bits or some

	Queries  uint64 // by lookups that opened a table with a known filter
	Answered uint64 // of these, while the filter was in memory
	Denied   uint64 // of these, with "no": the table was not opened

	HandedOver uint64 // filters from writers of tables
	Loaded     uint64 // filters read from tables
	Restored   uint64 // filters read from the file of the last time
	Cut        uint64 // filters that gave bits up for others, or for a smaller budget
	Evicted    uint64 // filters that gave all of them up
	Rejected   uint64 // blocks that were not those that their table names

	LoadedBytes uint64 // read from tables for that

	Levels [numLevels]LevelStats
}

// LevelStats are figures of a level's filters, and tell why they are in memory
// or not.
type LevelStats struct {
	Known   int   // filters that tables of the level have
	Filters int   // of these, in memory
	Bytes   int64 // of the blocks that tables have
	Held    int64 // bytes of these in memory

	Queries, Answered, Denied uint64 // as those of Stats

	// NextBit is how many reads one more bit for each key would save in a
	// thousand queries of the level of late. It is 0 for filters that have all
	// of their bits in memory, or that nobody asks for keys that are not there.
	NextBit float64
}

// String tells in one line, for a log, how much memory filters have, and what
// more of it would save.
func (s Stats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "filters have %.1f MiB of memory, of at most %.1f", mib(s.Used), mib(s.Budget))
	separator := ": "
	for level, l := range s.Levels {
		if l.Known == 0 {
			continue
		}
		fmt.Fprintf(&b, "%sL%d %.1f MiB of %.1f", separator, level, mib(l.Held), mib(l.Bytes))
		if l.NextBit > 0 {
			fmt.Fprintf(&b, ", where one more bit a key saves %.2g reads in 1000 queries", l.NextBit)
		}
		separator = "; "
	}
	return b.String()
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// Stats returns the figures of now. It looks at each known filter.
func (f *Filters) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.mu.counts
	s.Budget = max(f.mu.budget, f.mu.memory.limit)
	s.Used = int64(f.mu.arena.used + filterBytes*f.directory.count)
	s.Known = f.directory.count
	s.Filters = len(f.mu.arena.blocks)
	for e := range f.directory.all() {
		if e.mu.level == unknownLevel {
			continue
		}
		l := &s.Levels[e.mu.level]
		l.Known++
		l.Bytes += int64(e.size)
		l.NextBit += f.nextBit(e)
		if e.isResident() {
			l.Filters++
			l.Held += int64(e.held)
		}
	}
	for i := range s.Levels {
		if asked := f.mu.levels[i+1].asked; asked > 0 {
			s.Levels[i].NextBit *= 1000 / asked
		}
	}
	return s
}

// nextBit returns how many reads a bit more would have saved of late.
func (f *Filters) nextBit(e *filter) float64 {
	if e.mu.bits+1 > f.bid(e).most {
		return 0
	}
	return e.missing(f.share(e)) * (rateOf(e.mu.bits, true) - rateOf(e.mu.bits+1, true))
}

// add counts queries of a level's filter.
func (s *Stats) add(level int, asked, answered, denied uint64) {
	s.Queries += asked
	s.Answered += answered
	s.Denied += denied
	if level == unknownLevel {
		return
	}
	l := &s.Levels[level]
	l.Queries += asked
	l.Answered += answered
	l.Denied += denied
}
