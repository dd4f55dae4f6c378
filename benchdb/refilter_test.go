package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
)

const storeKeys = 20_000

// newStore makes a store of Pebble's own in L6 alone.
func newStore(t *testing.T, policy pebble.FilterPolicy) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	opts := &pebble.Options{Logger: fatalLogger{os.Stderr}}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = policy
	}
	for i := range opts.TargetFileSizes {
		opts.TargetFileSizes[i] = 64 << 10
	}
	db, err := pebble.Open(dir, opts)
	require.NoError(t, err)
	for i := range storeKeys {
		require.NoError(t, db.Set(fmt.Appendf(nil, "key%06d", i), fmt.Appendf(nil, "value %d", i), pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	require.NoError(t, db.Compact(t.Context(), []byte("a"), []byte("z"), false))
	require.NoError(t, db.Close())
	return dir
}

func TestRefilterCommand(t *testing.T) {
	for name, policy := range map[string]pebble.FilterPolicy{"none": pebble.NoFilterPolicy, "bloom": bloom.FilterPolicy(10)} {
		t.Run(name, func(t *testing.T) {
			dir := newStore(t, policy)
			before := snapshotDir(t, dir)
			dry := command(t, t.Context(), "refilter", dir, "--plan", "bloom:10", "--dry-run")
			require.Equal(t, exitOK, dry.status, dry.stderr)
			require.Contains(t, dry.stdout, "lack bloom:10")
			require.Contains(t, dry.stdout, "would write about")
			require.Equal(t, before, snapshotDir(t, dir))

			done := command(t, t.Context(), "refilter", dir, "--plan", "bloom:10", "--rate", "100MiB")
			require.Equal(t, exitOK, done.status, done.stderr)
			require.Contains(t, done.stdout, "rewrote ")
			again := command(t, t.Context(), "refilter", dir, "--plan", "bloom:10")
			require.Equal(t, exitOK, again.status, again.stderr)
			require.Contains(t, again.stdout, ": 0 of ")
			requireStore(t, dir)
		})
	}
}

// requireStore checks all keys, and the rate of absent ones: that more than 1.5 %
// of 20,000 pass at 0.97 % has a probability below 1e-12.
func requireStore(t *testing.T, dir string) {
	t.Helper()
	plan, err := pebbleext.ParsePlan("bloom:10")
	require.NoError(t, err)
	db, err := pebbleext.Open(dir, &pebble.Options{Logger: fatalLogger{os.Stderr}}, pebbleext.Options{Plan: plan, FilterMemory: -1})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	for i := range storeKeys {
		value, closer, err := db.DB.Get(fmt.Appendf(nil, "key%06d", i))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("value %d", i), string(value))
		require.NoError(t, closer.Close())
	}
	begin := db.Metrics().Filter
	for i := range storeKeys {
		found, err := db.Has(fmt.Appendf(nil, "key%06d-absent", i))
		require.NoError(t, err)
		require.False(t, found)
	}
	end := db.Metrics().Filter
	passed, probes := end.Misses-begin.Misses, end.Hits+end.Misses-begin.Hits-begin.Misses
	require.Greater(t, probes, int64(storeKeys*9/10))
	require.Less(t, float64(passed), 0.015*float64(probes))
}

// TestRefilterInterrupted stops the command when it has opened the store, at a
// rate at which the tables would take some seconds.
func TestRefilterInterrupted(t *testing.T) {
	dir := newStore(t, nil)
	db, err := pebble.Open(dir, &pebble.Options{Logger: fatalLogger{os.Stderr}})
	require.NoError(t, err)
	values := rand.NewChaCha8([32]byte{})
	for table := range 4 { // of 2 MiB each, so that a second is not enough for all
		for i := range 20 {
			value := make([]byte, 100<<10)
			_, _ = values.Read(value) // never fails
			require.NoError(t, db.Set(fmt.Appendf(nil, "zzz%d-%d", table, i), value, nil))
		}
		require.NoError(t, db.Flush())
	}
	require.NoError(t, db.Close())

	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(time.Second, cancel).Stop()
	got := command(t, ctx, "refilter", dir, "--plan", "bloom:10", "--rate", "1MiB")
	require.Equal(t, exitFailure, got.status)
	require.Contains(t, got.stdout, "run the command again")
	require.Equal(t, "benchdb: interrupted\n", got.stderr)
	got = command(t, t.Context(), "refilter", dir, "--plan", "bloom:10")
	require.Equal(t, exitOK, got.status, got.stderr)
	require.Contains(t, got.stdout, "rewrote")
	requireStore(t, dir)
}

// TestRefilterDamaged damages the MANIFEST of a store, and a block of data.
func TestRefilterDamaged(t *testing.T) {
	damage := func(dir, pattern string, edit func([]byte) []byte) {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		content, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(files[0], edit(content), 0o644))
	}
	for name, c := range map[string]struct {
		pattern string
		edit    func([]byte) []byte
		want    string
	}{
		"empty MANIFEST": {"MANIFEST-*", func([]byte) []byte { return nil }, "malformed manifest file"},
		"block":          {"*.sst", func(b []byte) []byte { b[5] ^= 1; return b }, "tables are rewritten, the others are as they were"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newStore(t, nil)
			damage(dir, c.pattern, c.edit)
			got := command(t, t.Context(), "refilter", dir, "--plan", "bloom:10")
			require.Equal(t, exitFailure, got.status)
			require.Contains(t, got.stderr, c.want)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
		})
	}
}

func TestRefilterUsageErrors(t *testing.T) {
	good := newStore(t, nil)
	edited := func(old, new string) string {
		dir := newStore(t, nil)
		files, err := filepath.Glob(filepath.Join(dir, "OPTIONS-*"))
		require.NoError(t, err)
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.Contains(t, string(text), old)
		require.NoError(t, os.WriteFile(files[0], bytes.ReplaceAll(text, []byte(old), []byte(new)), 0o644))
		return dir
	}
	newer := newStore(t, nil)
	markers, err := filepath.Glob(filepath.Join(newer, "marker.format-version.*"))
	require.NoError(t, err)
	require.NoError(t, os.Rename(markers[0], strings.TrimSuffix(markers[0], filepath.Ext(markers[0]))+".999"))
	open := newStore(t, nil)
	db, err := pebble.Open(open, &pebble.Options{Logger: fatalLogger{os.Stderr}})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()

	for _, c := range []struct {
		name string
		dir  string
		args []string
		want []string
	}{
		{"no plan", good, nil, []string{"--plan", "bloom:10"}},
		{"wrong plan", good, []string{"--plan", "blom:10"}, []string{"--plan", `"blom"`, "bloom"}},
		{"two stores", good, []string{good, "--plan", "bloom:10"}, []string{"2 arguments", "--help"}},
		{"slow", good, []string{"--plan", "bloom:10", "--rate", "10KiB"}, []string{"--rate 10KiB", "1MiB"}},
		{"no directory", good + "x", []string{"--plan", "bloom:10"}, []string{"no such file", good + "x"}},
		{"no store", t.TempDir(), []string{"--plan", "bloom:10"}, []string{"holds no Pebble store", "no manifest"}},
		{"open", open, []string{"--plan", "bloom:10"}, []string{"is open"}},
		{"newer", newer, []string{"--plan", "bloom:10"}, []string{"format", "999"}},
		{"comparer", edited("comparer=leveldb.BytewiseComparator", "comparer=mine"), []string{"--plan", "bloom:10"},
			[]string{"comparer", `"mine"`, "a program that has it"}},
		{"merger", edited("merger=pebble.concatenate", "merger=mine"), []string{"--plan", "bloom:10"},
			[]string{"merger", `"mine"`, "a program that has it"}},
		{"relative log", edited("wal_dir=", "wal_dir=logs"), []string{"--plan", "bloom:10"}, []string{`"logs"`, "relative"}},
		{"missing log", edited("wal_dir=", "wal_dir=/nowhere/logs"), []string{"--plan", "bloom:10"}, []string{"/nowhere/logs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := snapshotDir(t, c.dir)
			got := command(t, t.Context(), append([]string{"refilter", c.dir}, c.args...)...)
			require.Equal(t, exitUsage, got.status, got.stderr)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
			for _, word := range c.want {
				require.Contains(t, got.stderr, word)
			}
			require.Empty(t, got.stdout)
			require.Equal(t, before, snapshotDir(t, c.dir), "nothing is written")
		})
	}
}

// What is no store is told before any flag is asked for.
func TestNoStore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o644))
	for _, name := range []string{"replay", "refilter", "inspect", "plan"} {
		for dir, want := range map[string]string{
			"/nowhere":         "/nowhere: no such file or directory; name the directory of a Pebble store",
			file:               file + " is no directory; name that of a Pebble store",
			filepath.Dir(file): filepath.Dir(file) + " holds no Pebble store",
		} {
			got := command(t, t.Context(), name, dir)
			require.Equal(t, exitUsage, got.status)
			require.Contains(t, got.stderr, want, name)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
		}
	}
}

// snapshotDir returns the contents of a directory's files by name.
func snapshotDir(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		files[entry.Name()] = string(content)
	}
	return files
}

// ^C while the store is looked through is no wrong argument.
func TestRefilterInterruptedSurvey(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := command(t, ctx, "refilter", newStore(t, pebble.NoFilterPolicy), "--plan", "bloom:10")
	require.Equal(t, outcome{exitFailure, "", "benchdb: interrupted\n"}, got)
}
