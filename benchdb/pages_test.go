package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/micro"
	"github.com/gravelkv/gravel/benchdb/internal/paper"
	"github.com/gravelkv/gravel/benchdb/internal/planning"
	"github.com/gravelkv/gravel/benchdb/internal/replay"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/run"
)

// load reads the result of a real command.
func load[T any](t *testing.T, name string) *T {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata/pages", name))
	require.NoError(t, err)
	result := new(T)
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(result))
	return result
}

// pages are the reports of all commands.
func pages(t *testing.T) map[string]report.Result {
	return map[string]report.Result{
		"run":     load[run.Result](t, "run.json"),
		"micro":   load[micro.Result](t, "micro.json"),
		"paper":   load[paper.Result](t, "paper.json"),
		"plan":    load[planning.Result](t, "plan.json"),
		"inspect": load[planning.Inspection](t, "inspect.json"),
		"replay":  load[replay.Result](t, "replay.json"),
		"remote":  load[run.Result](t, "remote.json"),
	}
}

func text(t *testing.T, r report.Result) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, report.Render(&out, r))
	return out.String()
}

func TestPages(t *testing.T) {
	again := pages(t)
	for name, result := range pages(t) {
		content := text(t, result)
		require.Equal(t, content, text(t, again[name]), "the same data give the same bytes")
		require.Less(t, len(content), 2<<20)
		require.NotContains(t, content, "<script")
		require.NotRegexp(t, `(src|<link[^>]* href)="(https?:|//)`, content, "nothing is loaded")
		require.NotContains(t, content, "NaN")
		require.NotContains(t, content, "#0102", "a colour without a name")
		for _, c := range result.Page().Charts {
			require.NotEmpty(t, c.Text, c.Title)
			require.NotEmpty(t, c.Grid().Rows, c.Title)
		}
	}
}

// The download is the data.
func TestDownload(t *testing.T) {
	r := load[run.Result](t, "run.json")
	address := regexp.MustCompile(`href="data:application/json;base64,([^"]*)"`).FindStringSubmatch(text(t, r))
	require.NotNil(t, address)
	content, err := base64.StdEncoding.DecodeString(address[1])
	require.NoError(t, err)
	var back run.Result
	require.NoError(t, json.Unmarshal(content, &back))
	require.Equal(t, *r, back)
}

func TestDateOnTheRunPage(t *testing.T) {
	r := load[run.Result](t, "run.json")
	r.Environment.Date = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	content := text(t, r)
	for _, want := range []string{"2026-01-02T03:04:05Z", r.Environment.CPU, "--records=20000", "--seed=1", "page cache"} {
		require.Contains(t, content, want)
	}
}

func TestRunPage(t *testing.T) {
	p := load[run.Result](t, "run.json").Page()
	require.Regexp(t, `^With 256 KiB of memory in all and dense:10 \(.* bits per key, .* of filters\) a lookup of an absent key takes 0\.\d+ disk reads instead of [1-9].* without filters, and .* with pebble-bloom:10 or .* by an iterator with L6's filters\.$`, p.Summary)
	require.Len(t, p.Tables[0].Rows, 8)
	var titles []string
	for _, c := range p.Charts {
		titles = append(titles, c.Title)
	}
	require.Equal(t, []string{
		"Disk reads of an operation",
		"Median time of an operation",
		"Disk reads against memory, absent keys",
		"Disk reads against memory, absent keys, 2 threads",
		"Disk reads against memory, YCSB C",
		"Disk reads against memory, YCSB C, 2 threads",
		"Median time against memory, absent keys",
		"Median time against memory, absent keys, 2 threads",
		"Median time against memory, YCSB C",
		"Median time against memory, YCSB C, 2 threads",
		"Operations per second against threads, absent keys, 256KiB",
		"Operations per second against threads, absent keys, 1MiB",
		"Operations per second against threads, YCSB C, 256KiB",
		"Operations per second against threads, YCSB C, 1MiB",
	}, titles)
}

func TestOtherPages(t *testing.T) {
	require.Regexp(t, `^In filters of 100,000 keys, ribbon:10 lets 0\.\d+ % of absent keys through`, load[micro.Result](t, "micro.json").Page().Summary)
	require.Regexp(t, `^Of \d+ values, all are within`, load[paper.Result](t, "paper.json").Page().Summary)
	require.Regexp(t, `^With 250 KiB of filters, L0-.* is expected to waste 0\.002\d+ reads`, load[planning.Result](t, "plan.json").Page().Summary)
	for _, p := range []report.Result{&micro.Result{}, &micro.Result{Builds: []micro.Builds{{}}}, &paper.Result{}} {
		require.NotContains(t, text(t, p), "NaN")
		require.Empty(t, p.Page().Charts)
	}
}

// Whatever was measured, there is a page.
func TestRunPageOfLess(t *testing.T) {
	full := load[run.Result](t, "run.json")
	for name, change := range map[string]func(r *run.Result){
		"nothing":         func(r *run.Result) { *r = run.Result{Head: report.Head{Interrupted: true}} },
		"only stores":     func(r *run.Result) { r.Workloads = nil },
		"no absent keys":  func(r *run.Result) { r.Workloads = r.Workloads[1:] },
		"no filter":       func(r *run.Result) { r.Stores = r.Stores[:1]; r.Workloads[0].Rows = r.Workloads[0].Rows[:3] },
		"not timed":       func(r *run.Result) { r.Workloads = r.Workloads[:1]; r.Workloads[0].Rows[0].Timing = nil },
		"half absent":     func(r *run.Result) { r.Workloads[0].Absent = 0.5 },
		"no reads at all": func(r *run.Result) { r.Workloads[0].Rows[0].Reads = diskio.Counts{} },
	} {
		t.Run(name, func(t *testing.T) {
			var r run.Result
			copied, err := json.Marshal(full)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(copied, &r))
			change(&r)
			require.NotContains(t, text(t, &r), "NaN")
		})
	}
}
