package report

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// isTerminal reports whether a person sees what is written to w.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Progress shows how far a job is, if its writer is a terminal. Its methods
// must not be called concurrently.
type Progress struct {
	w   io.Writer
	bar *progressbar.ProgressBar
}

// NewProgress returns a Progress that shows nothing yet.
func NewProgress(w io.Writer) *Progress { return &Progress{w: w} }

// Start begins a part of the job with a number of steps.
func (p *Progress) Start(name string, steps int) {
	if !isTerminal(p.w) {
		return
	}
	p.bar = progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(p.w),
		progressbar.OptionSetDescription(name),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}

// Add tells of steps done.
func (p *Progress) Add(steps int) {
	if p.bar != nil {
		_ = p.bar.Add(steps) // a terminal that cannot be written is no reason to stop
	}
}

// Close clears what is shown.
func (p *Progress) Close() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
}
