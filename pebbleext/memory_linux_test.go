// The race detector takes memory of its own. With cgo Pebble's blocks are from C's
// malloc, which keeps what they give back: up to as much as filters take.

//go:build !race && !cgo

package pebbleext_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime/debug"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestMemory compares the memory of a process whose lookups go from keys that are
// there to absent ones and back with what Pebble alone takes for them, in a process
// of its own.
//
//	CGO_ENABLED=0 go test -run 'TestMemory$' -v
func TestMemory(t *testing.T) {
	const keys, cache = 4 << 20, 8 << 20
	if dir := os.Getenv("GRAVEL_TEST_STORE"); dir != "" {
		printMemory(t, dir, keys, cache)
		return
	}
	dir := t.TempDir()
	db, err := pebbleext.Open(dir, programOptions(vfs.Default, nil), pebbleext.Options{})
	require.NoError(t, err)
	for i := 0; i < keys; {
		batch := db.NewBatch()
		for range 1 << 12 {
			require.NoError(t, batch.Set(benchKey(2*i), nil, nil))
			i++
		}
		require.NoError(t, batch.Commit(pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())

	most := func(alone string) (memory, filters int64) {
		child := exec.Command(os.Args[0], "-test.run", "^TestMemory$")
		child.Env = append(os.Environ(), "GRAVEL_TEST_STORE="+dir, "GRAVEL_TEST_ALONE="+alone)
		out, err := child.CombinedOutput()
		require.NoError(t, err, "%s", out)
		_, err = fmt.Sscan(string(out), &memory, &filters)
		require.NoError(t, err, "%s", out)
		return memory, filters
	}
	alone, _ := most("yes")
	memory, filters := most("")
	t.Logf("most bytes of the process: %d, of these filters %d; Pebble alone %d", memory, filters, alone)
	require.Greater(t, filters, int64(cache/4))
	require.Less(t, memory-alone, filters/4)
}

// printMemory prints the most bytes that the process and its filters had.
func printMemory(t *testing.T, dir string, keys int, cache int64) {
	opts := programOptions(vfs.Default, bloom.FilterPolicy(10))
	opts.CacheSize, opts.DisableAutomaticCompactions = cache, true
	var r storetest.Getter
	filters := func() int64 { return 0 }
	if os.Getenv("GRAVEL_TEST_ALONE") == "" {
		db, err := pebbleext.Open(dir, opts, pebbleext.Options{})
		require.NoError(t, err)
		defer func() { require.NoError(t, db.Close()) }()
		r, filters = db, func() int64 { return db.Filters().Stats().Used }
	} else {
		db := storetest.Open(t, dir, opts)
		defer func() { require.NoError(t, db.Close()) }()
		r = db
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var memory, most int64
	for part := range 6 {
		for begin, n := time.Now(), 0; n < 50_000 || time.Since(begin) < 700*time.Millisecond; n++ {
			err := storetest.Closed(r.Get(benchKey(2*rng.IntN(keys) + part%2)))
			require.True(t, err == nil || errors.Is(err, pebble.ErrNotFound), err)
		}
		memory, most = max(memory, processMemory(t)), max(most, filters())
	}
	fmt.Println(memory, most)
}

// processMemory returns the bytes of the machine's memory that the process has.
func processMemory(t *testing.T) (bytes int64) {
	debug.FreeOSMemory()
	statm, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var size, pages int64
	_, err = fmt.Sscan(string(statm), &size, &pages)
	require.NoError(t, err)
	return pages * int64(os.Getpagesize())
}
