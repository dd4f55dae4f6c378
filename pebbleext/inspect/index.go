package inspect

import (
	"math"
	"math/rand/v2"

	"github.com/gravelkv/gravel/blockfilter/datablock"
)

// IndexRow is the index filters of one level.
type IndexRow struct {
	Level int `json:"level"`
	// Tables is how many of the level's tables have index filters. The figures
	// below are of these tables.
	Tables   int   `json:"tables"`
	Blocks   int64 `json:"data_blocks"`
	Filtered int64 `json:"filtered_blocks"` // data blocks with a filter
	Keys     int64 `json:"keys"`            // as in Row
	Bytes    int64 `json:"bytes"`           // of the filters, in the index
	// Expected is the false-positive rate of fingerprints of these bits, and
	// Measured the share of random absent keys, of Queries, that pass the
	// filter of a data block.
	Expected float64 `json:"expected_fpr"`
	Measured float64 `json:"measured_fpr"`
	Queries  int64   `json:"queries"`

	positives int64
}

// BitsPerKey returns the size of the filters for each key.
func (r IndexRow) BitsPerKey() float64 { return 8 * float64(r.Bytes) / float64(max(r.Keys, 1)) }

// Coverage returns the share of the tables' data blocks that have a filter.
func (r IndexRow) Coverage() float64 { return float64(r.Filtered) / float64(max(r.Blocks, 1)) }

// add returns the share of absent keys that the index filters of a table let
// pass.
func (r *IndexRow) add(f table, queries int, random *rand.Rand) (passed float64) {
	if f.dataBlocks == nil {
		return 1
	}
	r.Tables++
	r.Blocks += int64(len(f.dataBlocks))
	r.Keys += f.keys
	var filtered [][]byte
	for _, filter := range f.dataBlocks {
		if info, ok := datablock.Describe(filter); ok {
			filtered = append(filtered, filter)
			r.Bytes += int64(info.Bytes)
			r.Expected += math.Exp2(-float64(info.FingerprintBits))
		}
	}
	if len(filtered) == 0 {
		return 1
	}
	positives := 0
	for range queries {
		if datablock.MayContain(filtered[random.IntN(len(filtered))], absentKey(random)) {
			positives++
		}
	}
	r.Filtered += int64(len(filtered))
	r.Queries += int64(queries)
	r.positives += int64(positives)
	covered := float64(len(filtered)) / float64(len(f.dataBlocks))
	return 1 - covered + covered*float64(positives)/float64(queries)
}

// rate fills in the rates.
func (r *IndexRow) rate() {
	r.Expected /= float64(max(r.Filtered, 1))
	r.Measured = float64(r.positives) / float64(max(r.Queries, 1))
}
