package planning

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Print writes the plan, what is expected of it beside others, and the lines
// that put it to use.
func (r Result) Print(w io.Writer) {
	printLive(w, r.Live)
	fmt.Fprintf(w, "%s\n\n", r.shape())
	r.Plans[0].PrintLevels(w)
	fmt.Fprintln(w)
	PrintPlans(w, r.Plans)
	fmt.Fprintln(w)
	r.printOptions(w)
	fmt.Fprintf(w, "\nThis plan's filters: %s.\n", r.Options[0].Name)
	fmt.Fprintf(w, "\nplan, err := pebbleext.ParsePlan(%q)\npebbleext.Apply(opts, plan)\n", r.Plans[0].Text)
}

// LiveNote says what is seen of a store that is open elsewhere.
const LiveNote = "open elsewhere: its tables of one moment, by links, without its log"

func printLive(w io.Writer, live bool) {
	if live {
		fmt.Fprintf(w, "store: %s\n\n", LiveNote)
	}
}

// shape describes the store in a line.
func (r Result) shape() string {
	var levels []string
	for i, l := range r.Shape.Levels {
		if i > 0 && l.Level == r.Shape.Levels[i-1].Level { // a sublevel
			levels[len(levels)-1] += " + " + report.Compact(float64(l.Keys))
			continue
		}
		levels = append(levels, fmt.Sprintf("L%d %s", l.Level, report.Compact(float64(l.Keys))))
	}
	path := "pebbleext.Reader"
	if r.Settings.Read == Get {
		path = "pebble.DB.Get"
	}
	return fmt.Sprintf("keys: %s; read with %s", strings.Join(levels, ", "), path)
}

// PrintLevels writes the levels of a plan.
func (p Plan) PrintLevels(w io.Writer) {
	t := report.NewTable("level", "policy", "keys", "memory", "bits/key", "FPR", "absent", "present")
	for _, l := range p.Levels {
		t.AppendRow(report.Row{
			"L" + strconv.Itoa(l.Level), withoutMax(l.Policy), report.Compact(float64(l.Keys)), report.Size(l.Bytes).Short(),
			fmt.Sprintf("%.1f", 8*float64(l.Bytes)/float64(max(l.Keys, 1))),
			report.Percent(l.FPR), reads(l.WastedAbsent), reads(l.WastedPresent),
		})
	}
	t.Print(w)
}

// withoutMax leaves out options, which would make a table too wide.
func withoutMax(policy string) string {
	family, _, _ := strings.Cut(policy, ",")
	return family
}

// PrintPlans writes wasted reads and memory of plans, and how many times those
// of the first the others waste.
func PrintPlans(w io.Writer, plans []Plan) {
	t := report.NewTable("filters", "memory", "absent", "present", "times")
	for _, p := range plans {
		times := "-"
		if least := plans[0].WastedAbsent; least > 0 {
			times = fmt.Sprintf("%.3g", p.WastedAbsent/least)
		}
		t.AppendRow(report.Row{p.Name, report.Size(p.Bytes).Short(), reads(p.WastedAbsent), reads(p.WastedPresent), times})
	}
	t.Print(w)
	fmt.Fprint(w, `
absent, present  data blocks read in vain for each lookup of such a key
times            absent as a multiple of the first row's
`)
}

func reads(n float64) string { return strconv.FormatFloat(n, 'f', 5, 64) }
