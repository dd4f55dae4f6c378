package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/planning"
	"github.com/gravelkv/gravel/pebbleext/inspect"
)

func inspectJSON(t *testing.T, args ...string) (outcome, planning.Inspection) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.json")
	got := command(t, t.Context(), append([]string{"inspect", "--out", file}, args...)...)
	require.Equal(t, exitOK, got.status, got.stderr)
	requireColumns(t, got.stdout)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var r planning.Inspection
	require.NoError(t, json.Unmarshal(content, &r))
	return got, r
}

// pebbleStore writes a store with Pebble alone and its own Bloom filters.
func pebbleStore(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	opts := &pebble.Options{Logger: quiet{}, MemTableSize: 256 << 10, LBaseMaxBytes: 1}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := pebble.Open(dir, opts)
	require.NoError(t, err)
	for i := range 30_000 {
		require.NoError(t, db.Set(fmt.Appendf(nil, "key-%d", i*7919%30_000), make([]byte, 20), pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	require.NoError(t, db.Compact(t.Context(), []byte("a"), []byte("z"), false))
	require.NoError(t, db.Close())
	return dir
}

type quiet struct{}

func (quiet) Infof(string, ...any)              {}
func (quiet) Errorf(string, ...any)             {}
func (quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func TestInspectAndPlanStoresOfRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "stores")
	args := slices.Concat(tiny, []string{"--store", dir, "--load", "write", "--workloads", "absent", "--policies", "none twochoice:10 none;index=8"})
	require.Equal(t, exitOK, command(t, t.Context(), args...).status)

	got, r := inspectJSON(t, filepath.Join(dir, "none"))
	require.Contains(t, got.stdout, "without a table filter")
	require.Zero(t, r.Now.Bytes)
	require.Greater(t, r.Now.WastedAbsent, 0.9)

	got, r = inspectJSON(t, filepath.Join(dir, "twochoice-10"), "--plan", "L0-L5=twochoice:14;L6=ribbon:8")
	require.Contains(t, got.stdout, "twochoice")
	require.Positive(t, r.Now.Bytes)
	require.Positive(t, r.CacheShard)
	require.Less(t, r.Planned.WastedAbsent, r.Now.WastedAbsent)
	keys := int64(0)
	for _, row := range r.Rows {
		require.Equal(t, "twochoice", row.Family)
		require.Less(t, *row.Measured, 0.02, "filters of some hundred keys vary")
		keys += row.Keys
	}
	require.GreaterOrEqual(t, keys, int64(6000))

	_, planned := planJSON(t, filepath.Join(dir, "twochoice-10"), "--budget", "7500")
	require.LessOrEqual(t, planned.Plans[0].Bytes, int64(7600))
	require.Equal(t, r.Shape, planned.Shape)

	page := filepath.Join(t.TempDir(), "page.html")
	got, r = inspectJSON(t, filepath.Join(dir, "none-index-8"), "--out", page)
	require.NotContains(t, got.stdout, "without")
	require.Contains(t, got.stdout, "in index")
	require.Zero(t, r.Now.Bytes)
	require.Less(t, r.Now.WastedAbsent, 0.03)
	require.Equal(t, 1.0, r.Index[0].Coverage())
	content, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(content), "Filters of data blocks, in the index")
	got, r = inspectJSON(t, filepath.Join(dir, "none-index-8"), "--read", "get")
	require.Contains(t, got.stdout, "never asks the filters in the index")
	require.Greater(t, r.Now.WastedAbsent, 0.9)

	wrong := command(t, t.Context(), "inspect", dir)
	require.Equal(t, exitUsage, wrong.status)
	require.Contains(t, wrong.stderr, "none does")
}

func TestInspectAndPlanStoreOfPebble(t *testing.T) {
	dir := pebbleStore(t)
	got, r := inspectJSON(t, dir, "--read", "get", "--cache-size", "64KiB")
	require.Contains(t, got.stdout, inspect.PebbleBloom)
	require.Contains(t, got.stdout, "pebble.DB.Get never asks these filters")
	require.Contains(t, got.stdout, "cannot stay cached")
	require.NotContains(t, got.stdout, "name", "Get asks no filters in memory")
	require.Len(t, r.Rows, 1)
	require.Equal(t, int64(30_000), r.Rows[0].Keys)
	require.InDelta(t, 1, r.Now.WastedAbsent, 0.01)
	require.Nil(t, r.NowGet)

	got, r = inspectJSON(t, dir)
	require.Contains(t, got.stdout, "without a name for the filter")
	require.InDelta(t, 0.01, r.Now.WastedAbsent, 0.003, "a Reader asks them")
	require.InDelta(t, 1, r.NowGet.WastedAbsent, 0.01)

	_, planned := planJSON(t, dir, "--budget", "37500", "--family", "ribbon")
	require.Equal(t, "now", planned.Plans[1].Name)
	require.InDelta(t, 0.01, planned.Plans[1].WastedAbsent, 0.003)
	require.InDelta(t, 0.001, planned.Plans[0].WastedAbsent, 0.0003)
}

func TestInspectEmptyStore(t *testing.T) {
	dir := t.TempDir()
	db, err := pebble.Open(dir, &pebble.Options{Logger: quiet{}})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	got, _ := inspectJSON(t, dir)
	require.Equal(t, "The store has no tables.\n", got.stdout)
	plan := command(t, t.Context(), "plan", dir, "--read", "get")
	require.Equal(t, exitUsage, plan.status)
	require.Contains(t, plan.stderr, "no tables")
}

func TestInspectUsageErrors(t *testing.T) {
	dir, store := t.TempDir(), newStore(t, nil)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"one store", nil},
		{"one store", []string{"a", "b"}},
		{"no such file", []string{"/nowhere"}},
		{"holds no Pebble store", []string{dir}},
		{"get or reader", []string{store, "--read", "all"}},
		{"--plan", []string{store, "--plan", "blom:10"}},
		{"--out", []string{store, "--out", "/nowhere/x.json"}},
	} {
		got := command(t, t.Context(), append([]string{"inspect"}, c.args...)...)
		require.Equal(t, exitUsage, got.status, got.stderr)
		require.Contains(t, got.stderr, c.want)
		require.Empty(t, got.stdout)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
