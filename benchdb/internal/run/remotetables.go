package run

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// Tables has the outcome of a workload, warm and after a restart.
func (o RemoteOutcome) Tables() []report.Table {
	if len(o.Rows) == 0 {
		return nil
	}
	n := humanize.Comma(int64(o.Rows[0].Warm.Operations))
	name := o.mix()
	warm := newRemoteTable(fmt.Sprintf("%s: %s operations, warm", name, n))
	restart := newRemoteTable(fmt.Sprintf("%s: the first %s operations after a restart", name, n))
	for _, row := range o.Rows {
		warm.Add(row.cells(row.Warm)...)
		restart.Add(row.cells(row.Restart)...)
	}
	return []report.Table{warm, restart}
}

func (o RemoteOutcome) mix() string { return Outcome{Name: o.Name, Absent: o.Absent}.mix() }

func newRemoteTable(caption string) report.Table {
	return report.NewTable(caption, 2, "policy", "lookup", "req.\n/op", "open\n/op", "index\n/op", "filter\n/op", "data\n/op",
		"KiB\n/op", "time\nms", "$/1M\nop")
}

func (r RemoteRow) cells(c RemoteCost) []string {
	requests := func(count diskio.Count) string { return report.Decimals(c.perOp(count), 3) }
	q := c.Requests
	return []string{
		r.Policy, string(r.Lookup), requests(q.Total), requests(q.Other), requests(q.Index), requests(q.Filter), requests(q.Data),
		report.Decimals(float64(q.Total.Bytes)/1024/float64(max(c.Operations, 1)), 2),
		report.Decimals(c.Latency.Mean/1e6, 2),
		report.Decimals(dollars(q.Total)*1e6/float64(max(c.Operations, 1)), 3),
	}
}

// perOp is the mean number of requests of an operation.
func (c RemoteCost) perOp(count diskio.Count) float64 {
	return float64(count.Reads) / float64(max(c.Operations, 1))
}

// RemoteLegend explains the tables.
var RemoteLegend = report.Facts("",
	[2]any{"req.", "requests for bytes of objects, as the client sent them"},
	[2]any{"open", "those for the end of a table, when it is opened; then by kind of block"},
	[2]any{"time", "mean of fewer operations, with the latency added to each request"},
	[2]any{"$", "S3 Standard, us-east-1, within the region, 2024"},
	[2]any{"L6", "a pebble.Iterator with UseL6Filters"},
	[2]any{"DB", "a pebbleext.DB; a file keeps its filters while the store is closed"})

// chart compares the requests of policies and lookups.
func (o RemoteOutcome) chart() chart.Chart {
	bars := chart.Bars{
		Categories: "policy and lookup", Values: "requests per operation", Horizontal: true,
		Series: []chart.BarSeries{{Name: "warm", Shade: 1}, {Name: "after a restart", Shade: 3}},
	}
	for _, row := range o.Rows {
		bars.Add(row.Policy+" "+string(row.Lookup), row.Warm.perOp(row.Warm.Requests.Total), row.Restart.perOp(row.Restart.Requests.Total))
	}
	return chart.Chart{
		Title: "Requests per operation, " + o.mix(), Figure: bars,
		Text: "Requests to object storage for each policy and way to look keys up, warm and as the first operations after a restart. Lower is better.",
	}
}

// remoteSummary says what resident filters save.
func (r *Result) remoteSummary() string {
	for _, w := range r.Remote {
		var pebble, saved *RemoteRow
		for _, row := range w.Rows {
			switch {
			case row.Lookup == DB && saved == nil:
				saved = &row
			case row.Lookup == Get && policy.Family(row.Policy) == policy.PebbleBloom && pebble == nil:
				pebble = &row
			}
		}
		if w.Name == ycsb.AbsentName && pebble != nil && saved != nil {
			return fmt.Sprintf("With %s in memory a lookup of %s makes %s requests to object storage, and %s after a restart; "+
				"with %s through pebble.DB.Get, %s and %s.", saved.Policy, w.mix(),
				report.Figure(saved.Warm.perOp(saved.Warm.Requests.Total)), report.Figure(saved.Restart.perOp(saved.Restart.Requests.Total)),
				pebble.Policy, report.Figure(pebble.Warm.perOp(pebble.Warm.Requests.Total)), report.Figure(pebble.Restart.perOp(pebble.Restart.Requests.Total)))
		}
	}
	return "The tables show the requests to object storage of each policy and way to look keys up."
}
