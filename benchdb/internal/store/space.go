package store

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Space is a directory for stores and their copies.
type Space struct {
	// Dir is where stores lie.
	Dir string
	// Scratch is a directory on the same file system that is always removed.
	Scratch string

	temporary bool
	created   bool // Dir, by OpenSpace
}

// OpenSpace takes a directory to keep stores in, which is new or empty or has such
// stores; or "" for a temporary one. It fails without a trace if it cannot write
// there.
func OpenSpace(dir string) (*Space, error) {
	if dir == "" {
		return OpenTemporarySpace("")
	}
	s := &Space{Dir: dir}
	return s.open(s.take())
}

// OpenTemporarySpace takes a temporary directory in one that is there; "" is that
// of the system.
func OpenTemporarySpace(parent string) (s *Space, err error) {
	s = &Space{temporary: true}
	s.Dir, err = os.MkdirTemp(parent, "benchdb-")
	return s.open(err)
}

func (s *Space) open(err error) (*Space, error) {
	if err == nil {
		s.Scratch, err = os.MkdirTemp(s.Dir, "scratch-")
	}
	if err != nil {
		_ = s.Close() // err came first
		return nil, err
	}
	return s, nil
}

// take makes sure that Dir exists and is not another's.
func (s *Space) take() error {
	const advice = "name a new or empty directory, or one with stores of benchdb"
	entries, err := os.ReadDir(s.Dir)
	ours := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) == truthFile })
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := os.Mkdir(s.Dir, 0o755); err != nil {
			return fmt.Errorf("cannot create %s: %w; %s", s.Dir, report.Reason(err), advice)
		}
		s.created = true
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w; %s", s.Dir, report.Reason(err), advice)
	case len(entries) > 0 && !ours:
		return fmt.Errorf("%s holds other things, such as %s; %s", s.Dir, entries[0].Name(), advice)
	}
	return nil
}

// Store returns the directory of the store with a policy.
func (s *Space) Store(policy string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:;=,% /\`, r) {
			return '-'
		}
		return r
	}, policy)
	const most = 200 // bytes of a name, of the 255 that file systems allow
	return filepath.Join(s.Dir, name[:min(len(name), most)])
}

// Close removes what is not to be kept. That includes a new directory in which
// no store was begun.
func (s *Space) Close() error {
	if s.temporary {
		return os.RemoveAll(s.Dir)
	}
	var err error
	if s.Scratch != "" {
		err = os.RemoveAll(s.Scratch)
	}
	if s.created {
		_ = os.Remove(s.Dir) // fails if there is a store
	}
	return err
}

// CheckRoom fails if a directory has no room for stores.
func (s Settings) CheckRoom(dir string, stores int) error {
	usage, err := vfs.Default.GetDiskUsage(dir)
	if err != nil {
		return err
	}
	// Twice the data is what compactions of a copy can need at worst. The product
	// may be beyond whole numbers.
	need := float64(s.Records) * float64(s.recordSize()) * float64(stores+2)
	if need <= float64(usage.AvailBytes) {
		return nil
	}
	return report.Usagef("--records %d of --value-size %v need about %s in %s, which has %s; choose fewer, or another place with --store",
		s.Records, report.Size(s.ValueSize), report.Size(min(need, math.MaxInt64-1024)).Human(), dir, report.Size(usage.AvailBytes).Human())
}
