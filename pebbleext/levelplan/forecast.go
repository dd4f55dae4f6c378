package levelplan

import "github.com/gravelkv/gravel/pebbleext"

// Reads is how a store is read.
type Reads struct {
	// Get says that lookups are those of pebble.DB.Get, which never ask the
	// filters of L6 nor those in the index. Otherwise they are a Reader's.
	Get bool
	// Present is the share of lookups whose key is in the store, 0 to 1.
	Present float64
}

// Forecast is what the filters of a plan are expected to cost and to save. A
// wasted read is one of a data block that does not hold the key, whether from
// the cache or from disk.
type Forecast struct {
	// Absent and Present are wasted reads for each lookup of an absent and of a
	// present key; Mean weights them by Reads. A present key
	// wastes reads in the levels above its own.
	Absent, Present, Mean float64
	// Bytes is the size of all filter blocks; index filters are in none.
	Bytes int64
	// Levels has an entry for each level with tables; that of L0 sums its
	// sublevels.
	Levels []LevelForecast
}

// LevelForecast is the part of one level in a Forecast.
type LevelForecast struct {
	Level int
	Keys  int64
	// Bytes is the size of the level's filter blocks.
	Bytes int64
	// Rate is the false-positive rate of the level's filters, of both kinds
	// together, 1 where there are none or lookups do not ask them.
	Rate float64
	// Absent, Present and Mean are as in Forecast.
	Absent, Present, Mean float64
}

// BitsPerKey returns the size of the level's filters for each of its keys.
func (l LevelForecast) BitsPerKey() float64 { return 8 * float64(l.Bytes) / float64(l.Keys) }

// Forecast returns what to expect of a plan once compactions have brought it to
// all tables, each of its level's mean size. For policies of other packages it
// builds a block of such a table, of at most a million keys, and measures that.
func (s Shape) Forecast(plan pebbleext.Plan, reads Reads) (Forecast, error) {
	if err := s.validate(); err != nil {
		return Forecast{}, err
	}
	return s.ForecastFilters(s.Filters(plan), reads)
}

// ForecastFilters is Forecast for filters of known sizes and rates.
func (s Shape) ForecastFilters(filters Filters, reads Reads) (f Forecast, err error) {
	if err := s.validate(); err != nil {
		return f, err
	}
	for _, g := range s.groups(reads) {
		bytes := int64(filters[g.level].Block * float64(g.tables))
		l := LevelForecast{Level: g.level, Keys: g.keys, Bytes: bytes, Rate: 1}
		if g.filtered {
			l.Rate = filters[g.level].rate(reads)
		}
		l.Absent, l.Present, l.Mean = g.absent*l.Rate, g.present*l.Rate, g.weight*l.Rate
		f.Absent += l.Absent
		f.Present += l.Present
		f.Mean += l.Mean
		f.Bytes += l.Bytes
		f.Levels = append(f.Levels, l)
	}
	return f, nil
}

// group is a level of the LSM, with all its sublevels: they have one policy.
type group struct {
	level  int
	keys   int64
	tables int64
	// filtered tells whether lookups ask the level's filters.
	filtered bool
	// absent and present are how many of the level's tables a lookup of an
	// absent or present key visits in vain without filters; weight is the mean.
	absent, present, weight float64
}

func (g group) tableKeys() int64 { return max(g.keys/g.tables, 1) }

func (s Shape) groups(reads Reads) []group {
	below := s.keys()
	all := float64(below)
	var groups []group
	for i, l := range s.Levels {
		if i == 0 || l.Level != s.Levels[i-1].Level {
			groups = append(groups, group{level: l.Level, filtered: !reads.Get || l.Level < pebbleext.NumLevels-1})
		}
		below -= l.Keys
		absent := l.coverage()
		present := absent * float64(below) / all
		g := &groups[len(groups)-1]
		g.keys += l.Keys
		g.tables += int64(max(l.Tables, 1))
		g.absent += absent
		g.present += present
		g.weight += (1-reads.Present)*absent + reads.Present*present
	}
	return groups
}
