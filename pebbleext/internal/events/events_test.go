package events_test

import (
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/internal/events"
)

// TestListeners: each is told, the program's own too, and what it did not set
// stays unset.
func TestListeners(t *testing.T) {
	var told []string
	tell := func(what string) func() { return func() { told = append(told, what) } }
	own := &pebble.EventListener{FlushEnd: func(pebble.FlushInfo) { tell("own")() }}
	opts := &pebble.Options{FS: vfs.NewMem(), EventListener: own}
	events.OnTables(opts, tell("first"))
	events.OnTables(opts, tell("second"))
	events.OnOpen(opts, tell("open"))
	require.Nil(t, opts.EventListener.BackgroundError)
	require.Nil(t, opts.EventListener.DataCorruption)
	require.Nil(t, own.CompactionEnd, "the program's own is left alone")

	db, err := pebble.Open("", opts)
	require.NoError(t, err)
	require.Contains(t, told, "open")
	require.NoError(t, db.Set([]byte("key"), nil, nil))
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
	require.Subset(t, told, []string{"own", "first", "second"})

	told = nil
	db, err = pebble.Open("", opts)
	require.NoError(t, err)
	require.Contains(t, told, "open", "of a store that exists")
	require.NoError(t, db.Close())
}

// TestReport: whoever hears of failed compactions hears of others.
func TestReport(t *testing.T) {
	var heard error
	opts := &pebble.Options{EventListener: &pebble.EventListener{BackgroundError: func(err error) { heard = err }}}
	events.Report(opts, io.EOF)
	require.Equal(t, io.EOF, heard)

	logger := new(errorLogger)
	events.Report(&pebble.Options{Logger: logger}, io.EOF)
	require.ErrorIs(t, logger.logged, io.EOF)
	events.Report(&pebble.Options{}, io.EOF)
}

// errorLogger keeps the last error logged.
type errorLogger struct {
	pebble.Logger
	logged error
}

func (l *errorLogger) Errorf(_ string, args ...any) { l.logged = args[0].(error) }
