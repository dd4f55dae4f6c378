package html

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/gravelkv/gravel/benchdb/internal/bytesize"
	"github.com/gravelkv/gravel/benchdb/internal/results"
)

// environment is where and with what a command ran. The flags are those that
// repeat it.
func environment(e results.Environment, command string, flags ...[2]any) Table {
	words := []string{"benchdb", command}
	for _, f := range flags {
		words = append(words, fmt.Sprintf("--%v=%s", f[0], quote(fmt.Sprint(f[1]))))
	}
	return facts("Environment",
		[2]any{"date", e.Date.Format(time.RFC3339)},
		[2]any{"processor", fmt.Sprintf("%s, %d cores", e.CPU, e.Cores)},
		[2]any{"system", e.OS + "/" + e.Arch},
		[2]any{"Go", strings.TrimPrefix(e.Go, "go")},
		[2]any{"Pebble", e.Pebble},
		[2]any{"command", strings.Join(words, " ")},
	)
}

// quote writes an argument for a shell.
func quote(text string) string {
	if strings.ContainsAny(text, " ;\"'") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

// environment is where the run took place, and the shape of its stores.
func (v view) environment() []Table {
	s := v.Settings
	env := environment(v.Environment, v.Command,
		[2]any{"records", s.Records}, [2]any{"value-size", bytesize.Size(s.ValueSize)},
		[2]any{"cache-size", bytesize.Size(s.CacheSize)}, [2]any{"policies", strings.Join(s.Policies, " ")},
		[2]any{"workloads", strings.Join(s.Workloads, ",")}, [2]any{"operations", s.Operations},
		[2]any{"absent", s.Absent}, [2]any{"threads", s.Threads}, [2]any{"seed", s.Seed},
		[2]any{"load", s.Load}, [2]any{"direct", s.Direct}, [2]any{"sweep-cache", s.SweepCache})
	env.Rows = append(env.Rows, []string{"page cache", v.pageCache()})
	return append([]Table{env}, v.shapes()...)
}

// pageCache says what served reads below the block cache.
func (v view) pageCache() string {
	if v.Settings.Direct {
		return "bypassed (O_DIRECT): reads are those of the device"
	}
	for i := range v.Workloads {
		if source := v.source(&v.Workloads[i]); source != "" {
			return "in use: reads were served by the " + source
		}
	}
	return "in use"
}

// shapes describes the levels of the stores.
func (v view) shapes() []Table {
	var tables []Table
	for _, s := range v.Stores {
		t := Table{Caption: "Levels of the store with " + s.Policy, Names: 1}
		t.Header = []string{"level", "tables", "keys", "data", "filters"}
		for _, l := range s.Levels {
			t.Rows = append(t.Rows, []string{fmt.Sprintf("L%d", l.Level), fmt.Sprint(l.Tables),
				humanize.Comma(l.Keys), size(l.Bytes - l.FilterBytes), size(l.FilterBytes)})
		}
		tables = append(tables, t)
	}
	return tables
}
