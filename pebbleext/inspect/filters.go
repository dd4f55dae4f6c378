package inspect

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// Filters are the filter blocks of a store, by level and family.
type Filters struct {
	Rows []Row `json:"rows"`
}

// Row is the tables of one level that have filters of one family.
type Row struct {
	Level int `json:"level"`
	// Family is one of Gravel's, None, PebbleBloom, Unreadable or, for filters
	// of others, the name of their policy.
	Family string `json:"family"`
	Tables int    `json:"tables"`
	// Moved is how many of the tables were written for another level, with that
	// level's policy, and moved since: Pebble does not rewrite a table that
	// overlaps nothing below. Only Gravel's blocks tell.
	Moved int `json:"moved"`
	// Keys are distinct keys, as far as blocks tell, otherwise point entries.
	Keys         int64 `json:"keys"`
	Bytes        int64 `json:"bytes"` // of filter blocks
	LargestBlock int64 `json:"largest_block"`
	// Expected is the false-positive rate of filters of this size with the
	// family's default options; nil without one. For Pebble's own it is that of
	// independent probes, which its scheme does not reach.
	Expected *float64 `json:"expected_fpr"`
	// Measured is the share of random absent keys that the blocks let pass, of
	// Probes keys; nil for filters that are not known here.
	Measured *float64 `json:"measured_fpr"`
	Probes   int64    `json:"probes"`

	positives    int64
	pebbleProbes int
}

// BitsPerKey returns the size of the row's filters for each of its keys.
func (r Row) BitsPerKey() float64 { return 8 * float64(r.Bytes) / float64(max(r.Keys, 1)) }

// levelProbes is how many keys the filters of a level are asked for: a rate of
// 0.01 % is then measured within 10 %.
const levelProbes = 1 << 20

// Filters reads every filter block and asks it for random keys. Besides the
// blocks it reads the indexes of all tables, to find them.
func (s *Store) Filters(ctx context.Context) (Filters, error) {
	levels, err := s.db.SSTables(pebble.WithProperties())
	if err != nil {
		return Filters{}, err
	}
	var all Filters
	for level, tables := range levels {
		rows, err := s.level(ctx, level, tables)
		if err != nil {
			return Filters{}, err
		}
		all.Rows = append(all.Rows, rows...)
	}
	return all, nil
}

func (s *Store) level(ctx context.Context, level int, tables []pebble.SSTableInfo) ([]Row, error) {
	random := rand.New(rand.NewPCG(uint64(level), 1))
	probes := levelProbes/max(len(tables), 1) + 1
	rows := map[string]*Row{}
	read := map[uint64]bool{} // tables, which virtual ones may share
	for _, t := range tables {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if read[uint64(t.BackingSSTNum)] {
			continue
		}
		read[uint64(t.BackingSSTNum)] = true
		f, err := s.readFilter(ctx, t)
		if err != nil {
			return nil, err
		}
		r := rows[f.family]
		if r == nil {
			r = &Row{Level: level, Family: f.family}
			rows[f.family] = r
		}
		r.add(f, probes, random.Uint64)
	}
	sorted := make([]Row, 0, len(rows))
	for _, r := range rows {
		r.rate()
		sorted = append(sorted, *r)
	}
	slices.SortFunc(sorted, func(a, b Row) int { return strings.Compare(a.Family, b.Family) })
	return sorted, nil
}

func (r *Row) add(f filter, probes int, random func() uint64) {
	r.Tables++
	if f.writtenFor >= 0 && f.writtenFor != r.Level {
		r.Moved++
	}
	r.Keys += f.keys
	r.Bytes += int64(len(f.block))
	r.LargestBlock = max(r.LargestBlock, int64(len(f.block)))
	if f.policy == nil {
		return
	}
	r.Probes += int64(probes)
	r.positives += f.positives(probes, random)
	if f.family == PebbleBloom {
		r.pebbleProbes = f.pebbleProbes()
	}
}

// rate fills in the rates.
func (r *Row) rate() {
	if r.Probes > 0 {
		measured := float64(r.positives) / float64(r.Probes)
		r.Measured = &measured
	}
	if expected, ok := r.expected(); ok {
		r.Expected = &expected
	}
}

// Rates returns the false-positive rate of each level's filters as measured,
// where tables without filters, and with ones that are not known here, let
// everything pass.
func (f Filters) Rates() levelplan.Rates {
	var rates levelplan.Rates
	var keys [len(rates)]float64
	for _, r := range f.Rows {
		rate := 1.0
		if r.Measured != nil {
			rate = *r.Measured
		}
		rates[r.Level] += rate * float64(r.Keys)
		keys[r.Level] += float64(r.Keys)
	}
	for level := range rates {
		rates[level] /= max(keys[level], 1)
	}
	return rates
}
