package inspect

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/indexfilter"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Report is the filters of a store.
type Report struct {
	// Rows are the table filters, by level and family.
	Rows []Row `json:"rows"`
	// Index are the index filters of each level that has any.
	Index []IndexRow `json:"index"`
	// Scans are the prefix and range filters of each level that has any.
	Scans []ScanRow `json:"scans"`

	byGet, byReader [pebbleext.NumLevels]passed
}

// Row is the tables of one level that have table filters of one family.
type Row struct {
	Level int `json:"level"`
	// Family is one of Gravel's, None, PebbleBloom, Unreadable or, for filters
	// of others, the name of their policy.
	Family string `json:"family"`
	Tables int    `json:"tables"`
	// Moved is how many of the tables were written for another level, with that
	// level's policy. Pebble moves a table that overlaps nothing below without
	// rewriting it. Only Gravel's blocks tell.
	Moved int `json:"moved"`
	// Unnamed is how many of the tables do not name their filter, so that it
	// cannot be in memory: see package resident.
	Unnamed int `json:"unnamed"`
	// Keys are distinct keys, as far as blocks tell, otherwise point entries.
	Keys         int64 `json:"keys"`
	Bytes        int64 `json:"bytes"` // of filter blocks
	LargestBlock int64 `json:"largest_block"`
	// Expected is the false-positive rate of filters of this size with the
	// family's default options; nil without one. For Pebble's own it is that of
	// independent probes, which its scheme does not reach.
	Expected *float64 `json:"expected_fpr"`
	// Measured is the share of random absent keys that the blocks let pass, of
	// Queries keys; nil for filters that are not known here.
	Measured *float64 `json:"measured_fpr"`
	Queries  int64    `json:"queries"`

	positives    int64
	pebbleProbes int
}

// ScanRow is the tables of one level with the same prefix or range filters.
type ScanRow struct {
	Level   int    `json:"level"`
	Filters string `json:"filters"` // as in a plan, such as range=7
	Tables  int    `json:"tables"`
}

// BitsPerKey returns the size of the row's filters for each of its keys.
func (r Row) BitsPerKey() float64 { return 8 * float64(r.Bytes) / float64(max(r.Keys, 1)) }

// levelQueries is how many keys the filters of a level are asked for: a rate of
// 0.01 % is then measured within 10 %.
const levelQueries = 1 << 20

// Report reads all filters and asks them for random keys. Besides table
// filters it reads the indexes of all tables.
func (s *Store) Report(ctx context.Context) (Report, error) {
	levels, err := s.db.SSTables(pebble.WithProperties())
	if err != nil {
		return Report{}, ondisk.Named(s.dir, err)
	}
	var all Report
	for level, tables := range levels {
		if err := s.addLevel(ctx, &all, level, tables); err != nil {
			return Report{}, ondisk.Named(s.dir, err)
		}
	}
	return all, nil
}

func (s *Store) addLevel(ctx context.Context, all *Report, level int, tables []pebble.SSTableInfo) error {
	random := rand.New(rand.NewPCG(uint64(level), 1))
	queries := levelQueries/max(len(tables), 1) + 1
	rows := map[string]*Row{}
	index, scans := IndexRow{Level: level}, map[string]int{}
	read := map[uint64]bool{} // tables, which virtual ones may share
	for _, t := range tables {
		if err := ctx.Err(); err != nil {
			return err
		}
		if read[uint64(t.BackingSSTNum)] {
			continue
		}
		read[uint64(t.BackingSSTNum)] = true
		for _, name := range s.scanFilters(t.Properties.UserProperties) {
			scans[name]++
		}
		f, err := s.readTable(ctx, t)
		if err != nil {
			return err
		}
		r := rows[f.family]
		if r == nil {
			r = &Row{Level: level, Family: f.family}
			rows[f.family] = r
		}
		passed := r.add(f, queries, random)
		all.byGet[level].add(f.keys, passed)
		all.byReader[level].add(f.keys, passed*index.add(f, queries, random))
	}
	for _, family := range slices.Sorted(maps.Keys(rows)) {
		rows[family].rate()
		all.Rows = append(all.Rows, *rows[family])
	}
	if index.Tables > 0 {
		index.rate()
		all.Index = append(all.Index, index)
	}
	for _, name := range slices.Sorted(maps.Keys(scans)) {
		all.Scans = append(all.Scans, ScanRow{Level: level, Filters: name, Tables: scans[name]})
	}
	return nil
}

// scanFilters names the filters for scans that a table was written with.
func (s *Store) scanFilters(properties map[string]string) (names []string) {
	if extractor := indexfilter.TablePrefixes(properties); extractor != "" {
		names = append(names, "prefix="+extractor)
	}
	if bits := indexfilter.TableRangeBits(properties, s.reading.Comparer); bits > 0 {
		names = append(names, "range="+strconv.Itoa(bits))
	}
	return names
}

// add returns the share of absent keys that the filter lets pass.
func (r *Row) add(f table, queries int, random *rand.Rand) (passed float64) {
	r.Tables++
	if f.writtenFor >= 0 && f.writtenFor != r.Level {
		r.Moved++
	}
	if len(f.block) > 0 && !f.named {
		r.Unnamed++
	}
	r.Keys += f.keys
	r.Bytes += int64(len(f.block))
	r.LargestBlock = max(r.LargestBlock, int64(len(f.block)))
	if f.policy == nil {
		return 1
	}
	positives := f.positives(queries, random)
	r.Queries += int64(queries)
	r.positives += positives
	if f.family == PebbleBloom {
		r.pebbleProbes = f.pebbleProbes()
	}
	return float64(positives) / float64(queries)
}

// rate fills in the rates.
func (r *Row) rate() {
	if r.Queries > 0 {
		measured := float64(r.positives) / float64(r.Queries)
		r.Measured = &measured
	}
	if expected, ok := r.expected(); ok {
		r.Expected = &expected
	}
}

// passed is the share of absent keys that the filters of a level let pass.
type passed struct{ share, keys float64 }

// add adds those of a table.
func (p *passed) add(keys int64, share float64) {
	p.share += share * float64(keys)
	p.keys += float64(keys)
}

// mean is that of the tables.
func (p passed) mean() float64 { return p.share / max(p.keys, 1) }

// ByLevel returns the filters as a levelplan.Shape takes them, with their rates
// as measured. Tables without filters, and with ones that are not known here,
// let everything pass.
func (f Report) ByLevel() (levels levelplan.Filters) {
	for level := range levels {
		byGet, byReader := f.byGet[level].mean(), f.byReader[level].mean()
		levels[level] = levelplan.LevelFilters{Rate: byGet, Index: byReader / max(byGet, 1e-9)}
	}
	var tables [len(levels)]float64
	for _, r := range f.Rows {
		levels[r.Level].Block += float64(r.Bytes)
		tables[r.Level] += float64(r.Tables)
	}
	for _, r := range f.Index {
		levels[r.Level].IndexBits = int(math.Round(-math.Log2(r.Expected)))
	}
	for level := range levels {
		levels[level].Block /= max(tables[level], 1)
	}
	return levels
}
