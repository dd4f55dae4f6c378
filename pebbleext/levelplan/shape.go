package levelplan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
)

// Shape is what decides where the filters of a store pay: how many keys each
// level has and how much of the key space its tables span.
type Shape struct {
	// Levels are in the order in which a lookup visits them. Each sublevel of
	// L0 is an entry of its own, newest first; levels without tables are left
	// out.
	Levels []LevelShape `json:"levels"`
}

// LevelShape is one level, or one sublevel of L0.
type LevelShape struct {
	Level int `json:"level"` // of the LSM, 0 to 6
	// Tables is the number of tables, 0 for one. It matters for small tables
	// only, whose blocks round up.
	Tables int `json:"tables"`
	// Keys is the number of distinct keys, in a store with a Comparer.Split
	// that of distinct prefixes.
	Keys int64 `json:"keys"`
	// Coverage is the share of lookups whose key is within the bounds of a
	// table of the level. 0 stands for 1.
	Coverage float64 `json:"coverage,omitempty"`
	// Blocks are those of the level's tables, the zero value for records of 100
	// bytes. They matter to DiskReads only.
	Blocks Blocks `json:"blocks,omitzero"`
}

// coverage is Coverage with its default.
func (l LevelShape) coverage() float64 {
	if l.Coverage == 0 {
		return 1
	}
	return l.Coverage
}

// keys is the sum of all levels'.
func (s Shape) keys() (n int64) {
	for _, l := range s.Levels {
		n += l.Keys
	}
	return n
}

// Blocks are the data and index blocks of tables. Sizes are in bytes.
type Blocks struct {
	Data      int64 `json:"data"` // the number of data blocks
	DataBytes int64 `json:"data_bytes"`
	// Index is the number of index blocks, without the first of a table with
	// more than one. IndexBytes leaves out index filters.
	Index      int64 `json:"index"`
	IndexBytes int64 `json:"index_bytes"`
}

// ReadShape returns the shape of an open store. The comparer is the store's, as
// for pebbleext.NewReader.
//
// Keys are the point entries that tables' properties count: more than there are
// where a table holds several versions of a key. Coverage is estimated from the
// bounds of tables and the bytes between them. Tables without point keys are
// left out. It reads the properties of every table, and the index of those that
// hold a bound of another.
func ReadShape(db *pebble.DB, comparer *pebble.Comparer) (Shape, error) {
	comparer = comparer.EnsureDefaults()
	levels, err := db.SSTables(pebble.WithProperties())
	if err != nil {
		return Shape{}, err
	}
	for level, tables := range levels { // range keys and deletions have no filters
		levels[level] = slices.DeleteFunc(tables, func(t pebble.SSTableInfo) bool { return pointKeys(t.Properties) == 0 })
	}
	all := slices.Concat(levels...)
	whole, err := diskUsage(db, comparer, all)
	if err != nil {
		return Shape{}, err
	}
	whole -= filterAndIndexBytes(all)
	var s Shape
	for level, tables := range levels {
		runs := [][]pebble.SSTableInfo{tables}
		if level == 0 {
			runs = sublevels(tables, comparer)
		}
		for _, run := range runs {
			if len(run) == 0 {
				continue
			}
			l, err := shapeOf(db, comparer, level, run, whole)
			if err != nil {
				return Shape{}, err
			}
			s.Levels = append(s.Levels, l)
		}
	}
	return s, nil
}

// shapeOf describes tables of a level that do not overlap, in a store of whole
// bytes of data.
func shapeOf(db *pebble.DB, c *pebble.Comparer, level int, tables []pebble.SSTableInfo, whole float64) (LevelShape, error) {
	l := LevelShape{Level: level, Tables: len(tables)}
	spanned := -filterAndIndexBytes(tables)
	for _, t := range tables {
		l.Keys += pointKeys(t.Properties)
		l.Blocks.add(t.Properties, indexfilter.TableBits(t.Properties.UserProperties, c))
		bytes, err := diskUsage(db, c, []pebble.SSTableInfo{t})
		if err != nil {
			return l, err
		}
		spanned += bytes
	}
	// Tables next to each other share the blocks at their bounds.
	l.Coverage = min(1, max(spanned, 1)/max(whole, 1))
	return l, nil
}

func pointKeys(p *sstable.Properties) int64 { return int64(p.NumEntries - p.NumRangeDeletions) }

// add adds the blocks of a table. Its index filters have fingerprints of so many
// bits; 0 is for none.
func (b *Blocks) add(p *sstable.Properties, indexFilters int) {
	data := float64(max(p.NumDataBlocks, 1))
	filters := data * indexFilterBytes(float64(pointKeys(p))/data, indexFilters)
	b.Data += int64(p.NumDataBlocks)
	b.DataBytes += int64(p.DataSize)
	b.Index += int64(max(p.IndexPartitions, 1))
	b.IndexBytes += max(int64(p.IndexSize)-int64(p.TopLevelIndexSize)-int64(filters), 0)
}

// filterAndIndexBytes returns the bytes of tables that are not data. Pebble
// counts them for a table within the bounds, and not for one at a bound.
func filterAndIndexBytes(tables []pebble.SSTableInfo) (bytes float64) {
	for _, t := range tables {
		bytes += float64(t.Properties.FilterSize + t.Properties.IndexSize)
	}
	return bytes
}

// diskUsage estimates the bytes of the store between the bounds of tables.
func diskUsage(db *pebble.DB, c *pebble.Comparer, tables []pebble.SSTableInfo) (float64, error) {
	if len(tables) == 0 {
		return 0, nil
	}
	first, last := tables[0].Smallest.UserKey, tables[0].Largest.UserKey
	for _, t := range tables[1:] {
		if c.Compare(t.Smallest.UserKey, first) < 0 {
			first = t.Smallest.UserKey
		}
		if c.Compare(t.Largest.UserKey, last) > 0 {
			last = t.Largest.UserKey
		}
	}
	bytes, err := db.EstimateDiskUsage(first, last)
	return float64(bytes), err
}

// sublevels splits L0, whose tables come oldest first: a table lies one
// sublevel above the highest that it overlaps, as in Pebble. The result is
// newest first.
func sublevels(tables []pebble.SSTableInfo, c *pebble.Comparer) [][]pebble.SSTableInfo {
	var levels [][]pebble.SSTableInfo
	for _, t := range tables {
		i := len(levels)
		for i > 0 && !slices.ContainsFunc(levels[i-1], func(u pebble.SSTableInfo) bool { return overlap(c, t, u) }) {
			i--
		}
		if i == len(levels) {
			levels = append(levels, nil)
		}
		levels[i] = append(levels[i], t)
	}
	slices.Reverse(levels)
	return levels
}

func overlap(c *pebble.Comparer, a, b pebble.SSTableInfo) bool {
	return c.Compare(a.Smallest.UserKey, b.Largest.UserKey) <= 0 &&
		c.Compare(b.Smallest.UserKey, a.Largest.UserKey) <= 0
}

func (s Shape) validate() error {
	if len(s.Levels) == 0 {
		return errors.New("a store without tables has nothing to plan for")
	}
	for i, l := range s.Levels {
		switch {
		case l.Level < 0 || l.Level >= pebbleext.NumLevels:
			return fmt.Errorf("level %d is none; there are 0 to %d", l.Level, pebbleext.NumLevels-1)
		case i > 0 && l.Level < s.Levels[i-1].Level:
			return fmt.Errorf("L%d comes after L%d; list levels from the top", l.Level, s.Levels[i-1].Level)
		case l.Level > 0 && i > 0 && l.Level == s.Levels[i-1].Level:
			return fmt.Errorf("L%d is there twice; only L0 has sublevels", l.Level)
		case l.Keys < 1 || l.Tables < 0 || l.Keys < int64(l.Tables):
			return fmt.Errorf("L%d has %d keys in %d tables; each needs at least one key", l.Level, l.Keys, l.Tables)
		case !(l.Coverage >= 0 && l.Coverage <= 1):
			return fmt.Errorf("L%d has a coverage of %v; it is a share, 0 to 1", l.Level, l.Coverage)
		case l.Blocks != (Blocks{}) && min(l.Blocks.Data, l.Blocks.DataBytes, l.Blocks.Index, l.Blocks.IndexBytes) < 1:
			return fmt.Errorf("L%d has no blocks of some kind; give the number and the bytes of all, or none", l.Level)
		}
	}
	return nil
}
