package report

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"regexp"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
)

// Result is the outcome of a command. It embeds Head, and its other fields are
// the rest of its JSON form.
type Result interface {
	Page() Page
	head() *Head
}

// Page is a report.
type Page struct {
	Title string
	// Summary answers the main question in a sentence.
	Summary string
	// Tables stand above the charts, Details below them.
	Tables  []Table
	Charts  []chart.Chart
	Details []Table
}

// Draw adds the charts that have something to show.
func (p *Page) Draw(charts ...chart.Chart) {
	for _, c := range charts {
		if !c.Empty() {
			p.Charts = append(p.Charts, c)
		}
	}
}

var (
	//go:embed page.html
	layout string
	//go:embed style.css
	style string

	page = template.Must(template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(style) },
		"json":  encode,
		"link":  func(text string) bool { return strings.HasPrefix(text, "https://") },
		"name":  func(i, names int) bool { return i < names },
		"soft":  soft,
	}).Parse(layout))
)

// Render writes the page of a result, which offers the result for download.
func Render(w io.Writer, r Result) error {
	return page.Execute(w, struct {
		Page
		Data any
		Name string
	}{r.Page(), r, "benchdb-" + r.head().Command + ".json"})
}

// parts is where a policy may be broken, and a number may not.
var parts = regexp.MustCompile(`([,;])(\pL)`)

// soft lets the parts of a policy stand in lines of their own.
func soft(text string) template.HTML {
	return template.HTML(parts.ReplaceAllString(template.HTMLEscapeString(text), "$1<wbr>$2"))
}

// colours are the first rules of the style sheet: on light and on dark screens.
var colours, _, _ = strings.Cut(style, "\n*")

// writePicture writes the first chart of a result's page.
func writePicture(w io.Writer, r Result) error {
	charts := r.Page().Charts
	if len(charts) == 0 {
		return errors.New("the result has no chart")
	}
	picture, err := charts[0].Picture(colours)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, picture)
	return err
}

// encode returns an address that holds the data.
func encode(data any) (template.URL, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return "", err
	}
	return template.URL("data:application/json;base64," + base64.StdEncoding.EncodeToString(text)), nil
}
