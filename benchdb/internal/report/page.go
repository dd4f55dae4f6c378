package report

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
)

// Page is a report. A command makes one of its run.
type Page struct {
	Title string
	// Summary answers the main question in a sentence.
	Summary string
	// Tables stand above the charts, Environment below them.
	Tables      []Table
	Charts      []chart.Chart
	Environment []Table
	// Data is offered for download as JSON.
	Data any
	// Name is the file name of the download.
	Name string
}

// Table is a table with a caption.
type Table struct {
	Caption string
	chart.Grid
	// Names is the number of columns that hold names; others hold figures.
	Names int
}

var (
	//go:embed page.html
	layout string
	//go:embed style.css
	style string

	page = template.Must(template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(style) },
		"json":  encode,
		"name":  func(i, names int) bool { return i < names },
	}).Parse(layout))
)

// Write writes the page.
func (p Page) Write(w io.Writer) error { return page.Execute(w, p) }

// encode returns an address that holds the data.
func encode(data any) (template.URL, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return "", err
	}
	return template.URL("data:application/json;base64," + base64.StdEncoding.EncodeToString(text)), nil
}

// Facts is a table of names and values.
func Facts(caption string, rows ...[2]any) Table {
	t := Table{Caption: caption, Names: 2}
	for _, r := range rows {
		if text := fmt.Sprint(r[1]); text != "" {
			t.Rows = append(t.Rows, []string{fmt.Sprint(r[0]), text})
		}
	}
	return t
}

// Schema is the version of the JSON form of all commands. It rises when a field
// changes its meaning or goes.
const Schema = 2

// Head is what the JSON form of every measurement begins with.
type Head struct {
	Schema      int         `json:"schema"`
	Command     string      `json:"command"`
	Environment Environment `json:"environment"`
}

// NewHead describes a command of this process.
func NewHead(command string) Head { return Head{Schema, command, here()} }

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
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		own = info.Main.Version
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
func (e Environment) Table(command string, flags ...[2]any) Table {
	words := []string{"benchdb", command}
	for _, f := range flags {
		words = append(words, fmt.Sprintf("--%v=%s", f[0], quote(fmt.Sprint(f[1]))))
	}
	return Facts("Environment",
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
