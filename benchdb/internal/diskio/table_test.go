package diskio

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKindsOfReads(t *testing.T) {
	table := Table{[]tableBlock{{0, 100, dataBlock}, {100, 200, dataBlock}, {200, 250, filterBlock}, {300, 400, indexBlock}}}
	for name, c := range map[string]struct {
		first, last int64
		want        kind
	}{
		"a block":                        {100, 200, dataBlock},
		"an index and what is before it": {150, 400, indexBlock},
		"data and what is behind it":     {100, 270, dataBlock},
		"a part of a block":              {210, 220, filterBlock},
		"what is between blocks":         {260, 290, otherBlock},
		"what is behind all":             {400, 450, otherBlock},
	} {
		require.Equal(t, c.want, table.kind(c.first, c.last), name)
	}
	var counts Blocks
	table.CountObject(&counts, 300, 400, 1<<20)
	table.CountObject(&counts, 0, 450, 450) // all of a small table, to open it
	require.Equal(t, Blocks{Index: Count{1, 100}, Other: Count{1, 450}}, counts)
}
