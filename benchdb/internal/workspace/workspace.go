// Package workspace holds the files of a run and cleans up after it.
package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Space is a directory for stores and their copies.
type Space struct {
	// Dir is where stores lie.
	Dir string
	// Scratch is a directory on the same file system that is always removed.
	Scratch string

	temporary bool
}

// Open takes a directory that is empty or does not exist, to keep stores in; or
// "" for a temporary one.
func Open(dir string) (*Space, error) {
	s := &Space{Dir: dir, temporary: dir == ""}
	var err error
	if s.temporary {
		s.Dir, err = os.MkdirTemp("", "benchdb-")
	} else {
		err = takeEmpty(dir)
	}
	if err != nil {
		return nil, err
	}
	if s.Scratch, err = os.MkdirTemp(s.Dir, "scratch-"); err != nil {
		return nil, err
	}
	return s, nil
}

func takeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return os.Mkdir(dir, 0o755)
	case err != nil:
		return err
	case len(entries) == 0:
		return nil
	case isStore(entries):
		return fmt.Errorf("%s holds a Pebble store; name a new or empty directory", dir)
	default:
		return fmt.Errorf("%s is not empty (it holds %s); name a new or empty directory", dir, entries[0].Name())
	}
}

func isStore(entries []os.DirEntry) bool {
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "MANIFEST-") {
			return true
		}
	}
	return false
}

// Store returns the directory of the i-th store, named after its policy.
func (s *Space) Store(i int, policy string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:;=,% /\`, r) {
			return '-'
		}
		return r
	}, policy)
	return filepath.Join(s.Dir, fmt.Sprintf("%d-%s", i+1, name))
}

// Close removes what is not to be kept.
func (s *Space) Close() error {
	if s.temporary {
		return os.RemoveAll(s.Dir)
	}
	return os.RemoveAll(s.Scratch)
}
