package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// fullDisk mounts a small file system. Left fills it, but for so many bytes.
func fullDisk(t *testing.T) (dir string, left func(bytes int64)) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=32m"); err != nil {
		t.Skipf("no file system can be mounted: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	return dir, func(bytes int64) {
		filler, err := os.Create(filepath.Join(dir, "filler"))
		require.NoError(t, err)
		defer func() { require.NoError(t, filler.Close()) }()
		size, page := int64(0), make([]byte, os.Getpagesize())
		for err == nil {
			var n int
			n, err = filler.Write(page)
			size += int64(n)
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.NoError(t, filler.Truncate(size-bytes))
	}
}

// TestReplayFullDisk replays with a page more of space at a time, so that one
// file after another finds the disk full: a failure in one line, which leaves
// nothing behind.
func TestReplayFullDisk(t *testing.T) {
	disk, left := fullDisk(t)
	dir := filepath.Join(disk, "store")
	require.NoError(t, os.CopyFS(dir, os.DirFS(newStore(t, nil))))
	before := snapshotDir(t, dir)
	replay := func(bytes int64, args ...string) outcome {
		left(bytes)
		got := command(t, t.Context(), append([]string{"replay", dir, "--sample", "500", "--out", "", "--dir", disk}, args...)...)
		require.Equal(t, before, snapshotDir(t, dir))
		entries, err := os.ReadDir(disk)
		require.NoError(t, err)
		require.Len(t, entries, 2, "the store and what fills the disk")
		if got.status != exitOK {
			require.Equal(t, exitFailure, got.status, got.stderr)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
			require.NotContains(t, got.stderr, dir, "nothing is written there")
		}
		return got
	}
	page := int64(os.Getpagesize())
	measuring := int64(0) // pages with which it could begin
	got := outcome{}
	for pages := int64(0); ; pages++ {
		if got = replay(pages * page); got.status == exitOK {
			break
		}
		require.Contains(t, got.stderr, syscall.ENOSPC.Error())
		measuring = pages
	}
	require.Greater(t, measuring, int64(3))

	refused, rewriting := 0, 0
	for pages := measuring; ; pages += 2 {
		got = replay(pages*page, "--rewrite", "--policies", "dense:10 ribbon:8")
		if strings.Contains(got.stderr, "--rewrite needs") {
			refused++
		} else if strings.Contains(got.stderr, "tables are rewritten") {
			rewriting++
		} else {
			break
		}
	}
	require.NotEqual(t, exitOK, got.status, "the disk is full when it measures, too")
	require.Positive(t, refused)
	require.Positive(t, rewriting)
}
