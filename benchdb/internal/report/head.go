package report

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
)

// Schema is the version of the JSON form of all commands. It rises when a field
// changes its meaning or goes.
const Schema = 6

// Head is what the JSON form of every measurement begins with.
type Head struct {
	Schema      int         `json:"schema"`
	Command     string      `json:"command"`
	Environment Environment `json:"environment"`
	// Others is the share of the cores that other processes took meanwhile.
	Others float64 `json:"others"`
	// Interrupted tells that the measurement ended early.
	Interrupted bool `json:"interrupted"`
}

// NewHead describes a command of this process.
func NewHead(command string) Head {
	return Head{Schema: Schema, Command: command, Environment: here()}
}

func (h *Head) head() *Head { return h }

// Environment is where and with what a benchmark ran.
type Environment struct {
	Date   time.Time `json:"date"`
	Go     string    `json:"go"`
	Pebble string    `json:"pebble"`
	OS     string    `json:"os"`
	Arch   string    `json:"arch"`
	CPU    string    `json:"cpu"`
	Cores  int       `json:"cores"`
}

// here describes this process.
func here() Environment {
	return Environment{
		Date:   time.Now().UTC().Truncate(time.Second),
		Go:     runtime.Version(),
		Pebble: moduleVersion("github.com/cockroachdb/pebble/v2"),
		OS:     runtime.GOOS,
		Arch:   runtime.GOARCH,
		CPU:    cpuid.CPU.BrandName,
		Cores:  runtime.GOMAXPROCS(0),
	}
}

// String says in a line where and with what a command ran.
func (e Environment) String() string {
	return fmt.Sprintf("Pebble %s, %s, %s (%s), %s/%s", e.Pebble, e.Go, e.CPU, Plural(e.Cores, "core"), e.OS, e.Arch)
}

// Version tells the version of this program, "(devel)" if it has none, and those
// of Pebble and Go.
func Version() string {
	own := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		own = cmp.Or(info.Main.Version, own)
	}
	e := here()
	return fmt.Sprintf("%s, Pebble %s, %s", own, e.Pebble, e.Go)
}

// moduleVersion returns a dependency's version as built in, empty in tests.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return ""
}

// Table says where and with what a command ran. The flags are those that repeat
// it.
func (h Head) Table(flags ...[2]any) Table {
	words := []string{"benchdb", h.Command}
	for _, f := range flags {
		if value := fmt.Sprint(f[1]); f[0] != nil && value != "" {
			words = append(words, fmt.Sprintf("--%v=%s", f[0], quote(value)))
		}
	}
	e := h.Environment
	return Facts("Environment",
		[2]any{"date", e.Date.Format(time.RFC3339)},
		[2]any{"processor", fmt.Sprintf("%s, %s", e.CPU, Plural(e.Cores, "core"))},
		[2]any{"system", e.OS + "/" + e.Arch},
		[2]any{"Go", strings.TrimPrefix(e.Go, "go")},
		[2]any{"Pebble", e.Pebble},
		[2]any{"other processes", h.loadNote()},
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
