package report

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/prometheus/procfs"
)

// Load is what the machine did up to a moment, as Linux counts it. Elsewhere it
// knows nothing.
type Load struct {
	at       time.Time
	all, own float64 // seconds of processor time, of all processes and of this one
	cores    int
}

// StartLoad begins to watch the machine.
func StartLoad() Load {
	l := Load{at: time.Now()}
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return l
	}
	stat, err := proc.Stat()
	self, failed := proc.Self()
	if errors.Join(err, failed) != nil {
		return l
	}
	own, err := self.Stat()
	if err != nil {
		return l
	}
	t := stat.CPUTotal
	l.all = t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ + t.Steal
	l.own, l.cores = own.CPUTime(), len(stat.CPU)
	return l
}

// others is the share of the cores that other processes took since then, 0 if it
// is not known.
func (l Load) others() float64 {
	now := StartLoad()
	seconds := now.at.Sub(l.at).Seconds() * float64(l.cores)
	if seconds == 0 {
		return 0
	}
	return min(max((now.all-l.all-(now.own-l.own))/seconds, 0), 1)
}

// busy is the share from which times suffer more than their ± says.
const busy = 0.1

// NoteLoad notes how busy the machine was with other processes, and says so if it
// matters.
func (h *Head) NoteLoad(w io.Writer, since Load) {
	h.Others = since.others()
	if note := h.loadNote(); note != "" {
		fmt.Fprintf(w, "\n%s\n", note)
	}
}

// loadNote is empty if the machine was not busy.
func (h Head) loadNote() string {
	if h.Others < busy {
		return ""
	}
	return fmt.Sprintf("Other processes took %.0f %% of the cores: trust ratios of this run, not times.", 100*h.Others)
}
