package report

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

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
