package resident

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStatsString(t *testing.T) {
	none := Stats{Budget: 7 << 20}
	require.Equal(t, "filters have 0.0 MiB of memory, of at most 7.0", none.String())

	some := Stats{Budget: 3 << 20, Used: 2 << 20}
	some.Levels[0] = LevelStats{Known: 3, Bytes: 1 << 19, Held: 1 << 19}
	some.Levels[6] = LevelStats{Known: 9, Bytes: 5 << 20, Held: 3 << 19, NextBit: 8.81}
	require.Equal(t, "filters have 2.0 MiB of memory, of at most 3.0: L0 0.5 MiB of 0.5; "+
		"L6 1.5 MiB of 5.0, where one more bit a key saves 8.8 reads in 1000 queries", some.String())
}
