package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// OpenSpace takes a directory that is empty or does not exist, to keep stores in; or
// "" for a temporary one. It fails without a trace if it cannot write there.
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

// take makes sure that Dir exists and is empty.
func (s *Space) take() error {
	entries, err := os.ReadDir(s.Dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := os.Mkdir(s.Dir, 0o755); err != nil {
			return fmt.Errorf("cannot create %s: %w; name a new or empty directory", s.Dir, report.Reason(err))
		}
		s.created = true
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w; name a new or empty directory", s.Dir, report.Reason(err))
	case len(entries) == 0:
		return nil
	case isStore(entries):
		return fmt.Errorf("%s holds a Pebble store; name a new or empty directory", s.Dir)
	default:
		return fmt.Errorf("%s is not empty (it holds %s); name a new or empty directory", s.Dir, entries[0].Name())
	}
}

func isStore(entries []os.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "MANIFEST-") })
}

// Store returns the directory of the i-th store, named after its policy.
func (s *Space) Store(i int, policy string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:;=,% /\`, r) {
			return '-'
		}
		return r
	}, policy)
	const most = 100 // bytes of a name, of the 255 that file systems allow
	return filepath.Join(s.Dir, fmt.Sprintf("%d-%s", i+1, name[:min(len(name), most)]))
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
