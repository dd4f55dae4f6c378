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

// TestIsWritten: a store that is written remains so until it is written a quarter
// as much.
func TestIsWritten(t *testing.T) {
	for _, c := range []struct {
		bytes, accesses uint64
		begins, remains bool
	}{
		{0, 0, false, false},
		{1, 0, true, true},
		{26, 100, true, true},
		{25, 100, false, true},
		{100, 1599, false, true},
		{100, 1600, false, false},
	} {
		require.Equal(t, c.begins, isWritten(false, c.bytes, c.accesses), c)
		require.Equal(t, c.remains, isWritten(true, c.bytes, c.accesses), c)
	}
}
