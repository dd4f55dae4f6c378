package resident

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCanAnswer: filters answer once those that pay are in memory, which may be
// none of a level.
func TestCanAnswer(t *testing.T) {
	f, err := New(Settings{Budget: 1 << 20})
	require.NoError(t, err)
	for i := range 100 {
		e := &filter{head: head{id: identity{byte(i)}, size: 1000}}
		e.mu.level, e.mu.use.asked = 6, 10
		f.directory.add(e)
	}
	f.mu.levels[7].asked = 1000
	require.False(t, f.canAnswer(), "none of them is there")
	f.mu.price = highestPrice
	require.True(t, f.canAnswer())
}
