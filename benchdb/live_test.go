package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

const heldStore = "GRAVEL_TEST_HELD_STORE"

// TestHoldStore does nothing by itself: hold runs it in another process.
func TestHoldStore(t *testing.T) {
	dir := os.Getenv(heldStore)
	if dir == "" {
		t.Skip("no store to hold")
	}
	opts := storeOptions(dir)
	opts.DisableAutomaticCompactions = true
	db, err := pebble.Open(dir, opts)
	if err == nil {
		db.TestOnlyWaitForCleaning() // of the log that Open replayed
	}
	fmt.Println("open", err)
	_, _ = os.Stdin.Read(make([]byte, 1))
}

// hold opens a store in another process for as long as the test runs.
func hold(t *testing.T, dir string) {
	t.Helper()
	holder := exec.Command(os.Args[0], "-test.run", "^TestHoldStore$")
	holder.Env = append(os.Environ(), heldStore+"="+dir)
	stdin, err := holder.StdinPipe()
	require.NoError(t, err)
	stdout, err := holder.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	t.Cleanup(func() {
		require.NoError(t, stdin.Close())
		_ = holder.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "open <nil>\n", line)
}

func TestOpenElsewhere(t *testing.T) {
	dir := pebbleStore(t)
	hold(t, dir)
	before := snapshotDir(t, dir)
	got, r := inspectJSON(t, dir)
	require.Contains(t, got.stdout, "open elsewhere")
	require.True(t, r.Live)
	require.NotEmpty(t, r.Rows)
	planned := command(t, t.Context(), "plan", dir, "--read", "reader", "--budget", "64KiB", "--out", filepath.Join(t.TempDir(), "p.html"))
	require.Equal(t, exitOK, planned.status, planned.stderr)
	require.Contains(t, planned.stdout, "open elsewhere")
	require.Equal(t, before, snapshotDir(t, dir))
}
