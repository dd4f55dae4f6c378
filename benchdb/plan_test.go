package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/planning"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
	"github.com/gravelkv/gravel/pebbleext"
)

// shapeFile writes a shape in the proportions of benchdb's own stores.
func shapeFile(t *testing.T, records int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "shape.json")
	text := fmt.Sprintf(`{"levels": [{"level": 0, "keys": %d}, {"level": 4, "keys": %d},
		{"level": 5, "keys": %d}, {"level": 6, "keys": %d}]}`,
		records/100, records/25, records*3/20, records*4/5)
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

func planJSON(t *testing.T, args ...string) (outcome, planning.Result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.json")
	got := command(t, t.Context(), append([]string{"plan", "--read", "reader", "--out", file}, args...)...)
	require.Equal(t, exitOK, got.status, got.stderr)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var r planning.Result
	require.NoError(t, json.Unmarshal(content, &r))
	return got, r
}

var goLine = regexp.MustCompile(`plan, err := pebbleext\.ParsePlan\((".*")\)\n`)

func TestPlanBesideUniformPlans(t *testing.T) {
	got, r := planJSON(t, "--shape", shapeFile(t, 200_000), "--budget", "245KiB")
	requireColumns(t, goLine.ReplaceAllString(got.stdout, ""))
	require.Empty(t, got.stderr)
	require.Equal(t, report.Schema, r.Schema)
	require.Len(t, r.Plans, 4)
	plan := r.Plans[0]
	for _, other := range r.Plans[1:3] {
		require.Greater(t, other.WastedAbsent, 1.6*plan.WastedAbsent, other.Text)
		require.InEpsilon(t, plan.Bytes, other.Bytes, 0.02)
	}
	require.Equal(t, "none", r.Plans[3].Name)
	require.Equal(t, 4.0, r.Plans[3].WastedAbsent)
	require.Contains(t, r.Plans[1].Text, "bloom:")
	require.Greater(t, r.Plans[1].WastedAbsent, 15*plan.WastedAbsent)
	require.InEpsilon(t, r.Settings.Budget, plan.Bytes, 0.02)

	line := goLine.FindStringSubmatch(got.stdout)
	require.NotNil(t, line)
	text, err := strconv.Unquote(line[1])
	require.NoError(t, err)
	require.Equal(t, plan.Text, text)
	_, err = pebbleext.ParsePlan(text)
	require.NoError(t, err)
}

func TestPlanOptions(t *testing.T) {
	shape := shapeFile(t, 200_000)
	_, r := planJSON(t, "--shape", shape, "--budget", "64KiB", "--read", "get", "--family", "bloom")
	require.Contains(t, r.Plans[0].Text, "L6=none")
	require.NotContains(t, r.Plans[0].Text, "ribbon")
	require.Greater(t, r.Plans[0].WastedAbsent, 1.0, "L6 is read for every absent key")

	got, r := planJSON(t, "--shape", shape, "--budget", "1MiB", "--max-block", "16KiB", "--family", "bloom", "--present", "0.5")
	requireColumns(t, goLine.ReplaceAllString(got.stdout, ""))
	require.True(t, slices.ContainsFunc(r.Divisions, func(d planning.Division) bool { return strings.Contains(d.Text, ",max=16KiB") }))
	require.Contains(t, r.Plans[0].Text, "index=8", "no filter of L6 is small enough")
	require.Equal(t, planning.Settings{
		Budget: 1 << 20, CacheSize: 8 << 20, MaxBlock: 16 << 10, Family: "bloom", Read: "reader", Present: 0.5,
	}, r.Settings)
}

// The curve falls, and its knee is the budget that is taken if none is given.
func TestPlanCurve(t *testing.T) {
	shape := shapeFile(t, 200_000)
	got, r := planJSON(t, "--shape", shape)
	requireColumns(t, goLine.ReplaceAllString(got.stdout, ""))
	require.Contains(t, got.stdout, "knee")
	require.Equal(t, planning.Point{Wasted: 4}, r.Curve[0])
	for i, p := range r.Curve[1:] {
		require.Greater(t, p.Bytes, r.Curve[i].Bytes)
		require.Less(t, p.Wasted, r.Curve[i].Wasted)
	}
	require.Contains(t, r.Curve, r.Knee)
	require.Equal(t, r.Knee.Bytes, r.Settings.Budget)
	// Most of what filters can save is saved there, by a fraction of the bytes.
	require.Less(t, r.Knee.Wasted, 0.5)
	require.Less(t, r.Knee.Bytes, r.Curve[len(r.Curve)-1].Bytes/2)

	for budget, want := range map[string]int64{"10bits": 250_000, "2.5%": 500_000, "64KiB": 64 << 10} {
		_, r := planJSON(t, "--shape", shape, "--budget", budget)
		require.Equal(t, want, r.Settings.Budget)
	}
}

func TestPlanUsageErrors(t *testing.T) {
	shape := "--shape " + shapeFile(t, 200_000)
	bad := filepath.Join(t.TempDir(), "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte(`{"levels": [{"depth": 1}]}`), 0o644))
	none := filepath.Join(t.TempDir(), "none.json")
	require.NoError(t, os.WriteFile(none, []byte(`{}`), 0o644))
	tiny := filepath.Join(t.TempDir(), "tiny.json")
	require.NoError(t, os.WriteFile(tiny, []byte(`{"levels": [{"level": 6, "keys": 3}]}`), 0o644))
	for _, c := range []struct{ args, want string }{
		{"", "--shape"},
		{"--shape " + tiny, "at most 20 bits for each key: a budget of 7 bytes is too small for any filter; the least useful one is 40"},
		{"--read get --shape " + tiny, "at most 20 bits for each key: no filter can save a read"},
		{"--budget 1MiB", "directory"},
		{"a b --budget 1MiB", "too many"},
		{"/nowhere --budget 1MiB", "no such file"},
		{newStore(t, nil) + " --budget 1MiB " + shape, "leave one out"},
		{"--budget 1MiB --read= " + shape, "--read: say how"},
		{"--budget 0 " + shape, "10bits"},
		{"--budget 0bits " + shape, "10bits"},
		{"--budget 101% " + shape, "20%"},
		{"--budget NaN% " + shape, "20%"},
		{"--budget 100 " + shape, "the least useful one is"},
		{"--budget x " + shape, "64MiB"},
		{"--budget 1MiB --shape " + bad, `unknown field "depth"`},
		{"--budget 1MiB --shape " + none, "without tables"},
		{"--budget 1MiB --shape /nowhere", "/nowhere"},
		{"--budget 1MiB --read all " + shape, "get or reader"},
		{"--budget 1MiB --family blom " + shape, `unknown family "blom"`},
		{"--budget 1MiB --max-block 10 " + shape, "--max-block 10"},
		{"--budget 1MiB --present 2 " + shape, "--present 2"},
		{"--budget 1MiB --out /nowhere/x.json " + shape, "--out"},
	} {
		got := command(t, t.Context(), append([]string{"plan", "--read", "reader"}, strings.Fields(c.args)...)...)
		require.Equal(t, exitUsage, got.status, "%s: %s", c.args, got.stderr)
		require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
		require.Contains(t, got.stderr, c.want)
		require.Empty(t, got.stdout)
	}
}

// TestPlanPredictsRun compares the figures of a plan with what run counts on
// stores of that shape. Counts may be off by 5 standard deviations of their false
// positives, beside 5 %: a probability below 1e-6.
func TestPlanPredictsRun(t *testing.T) {
	const records = 20_000
	_, planned := planJSON(t, "--shape", shapeFile(t, records), "--budget", "8000", "--family", "bloom")
	plan, uniform := planned.Plans[0], planned.Plans[1]
	_, r := runJSON(t, "--workloads", ycsb.AbsentName, "--policies", plan.Text+" "+uniform.Text,
		"--records", strconv.Itoa(records), "--operations", "6000", "--memory", "1MiB")
	for _, p := range []planning.Plan{plan, uniform} {
		queries := row(t, r, ycsb.AbsentName, p.Text, "DB").Queries
		wasted := 0.0 // by lookups that ask in all levels; not all of a Reader's do
		for _, l := range queries.ByLevel {
			wasted += float64(l.FalsePositives) / float64(l.FalsePositives+l.TrueNegatives)
		}
		t.Logf("%s: wasted reads %.5f, plan says %.5f", p.Text, wasted, p.WastedAbsent)
		require.Greater(t, queries.FalsePositives, int64(100))
		// A Reader may ask few of its lookups' filters.
		require.InEpsilon(t, p.WastedAbsent, wasted, 0.05+5/math.Sqrt(float64(queries.FalsePositives)), p.Text)
	}
	require.Less(t, 1.2*plan.WastedAbsent, uniform.WastedAbsent)
}

// TestPlansThatDoNotFit plans a store whose filters do not fit in memory.
func TestPlansThatDoNotFit(t *testing.T) {
	got, r := planJSON(t, "--shape", shapeFile(t, 40_000_000), "--budget", "2MiB", "--cache-size", "64MiB")
	require.Equal(t, "none;index=8", r.Plans[0].Text)
	require.Contains(t, got.stdout, "This plan's filters: in the index.")
	requireColumns(t, goLine.ReplaceAllString(got.stdout, ""))
	reads := map[string]float64{}
	for _, d := range r.Divisions {
		reads[d.Name] = d.Absent.Reads
	}
	require.Len(t, reads, 5)
	require.Less(t, reads["in the index"], 0.2*reads["none"])
}
