package pointread

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBackground: what is asked for is done once for all who ask meanwhile, again
// for who asks later, and not after Close, which waits.
func TestBackground(t *testing.T) {
	var done atomic.Int64
	b := NewBackground(func() { done.Add(1) })
	for range 100 {
		b.Ask()
	}
	require.Eventually(t, func() bool { return done.Load() == 1 }, time.Minute, time.Millisecond)
	b.Ask()
	require.Eventually(t, func() bool { return done.Load() == 2 }, time.Minute, time.Millisecond)
	b.Ask()
	b.Close()
	b.Ask()
	b.Close()
	require.LessOrEqual(t, done.Load(), int64(2), "what was not begun is not done")
	require.False(t, b.running)
}
