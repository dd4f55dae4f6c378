package resident

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCanAnswer: filters answer once nearly all that pay are in memory, which may
// be none of a level, as long as half of them are.
func TestCanAnswer(t *testing.T) {
	f, err := New(Settings{Budget: 1 << 20})
	require.NoError(t, err)
	for i := range 100 {
		e := &filter{head: head{id: identity{byte(i)}, size: 1000}}
		e.mu.level, e.mu.use.asked = 6, 10
		f.directory.add(e)
	}
	waiting := func(share float64) { f.mu.levels[7].asked = 1000 / share }
	for _, answering := range []bool{false, true} {
		f.answering.Store(answering)
		waiting(0.04)
		require.True(t, f.canAnswer())
		waiting(0.4)
		require.Equal(t, answering, f.canAnswer())
		waiting(0.6)
		require.False(t, f.canAnswer())
	}
	f.mu.price = highestPrice
	require.True(t, f.canAnswer())
}
