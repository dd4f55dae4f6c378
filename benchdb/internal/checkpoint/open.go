package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/inspect"
)

// Store is a store that is open for inspection.
type Store struct {
	*inspect.Store
	// Live says that the store was open already. What is inspected is then a
	// checkpoint.
	Live      bool
	temporary string // the checkpoint is in it; "" for none
}

// Open opens a store for inspection: in place or, if it is open already in this
// or another process, by a checkpoint, which Close removes.
func Open(dir string) (*Store, error) {
	s, err := inspect.Open(dir)
	if errors.Is(err, pebbleext.ErrLocked) {
		return openLive(dir)
	}
	if err != nil {
		return nil, err
	}
	return &Store{Store: s}, nil
}

func openLive(dir string) (s *Store, err error) {
	temporary, err := os.MkdirTemp(Place(dir), "checkpoint-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temporary))
		}
	}()
	view := filepath.Join(temporary, "store")
	if _, err := Take(dir, view); err != nil {
		return nil, err
	}
	opened, err := inspect.Open(view)
	if err != nil {
		return nil, err
	}
	return &Store{opened, true, temporary}, nil
}

// Close closes the store.
func (s *Store) Close() error {
	err := s.Store.Close()
	if s.temporary != "" {
		err = errors.Join(err, os.RemoveAll(s.temporary))
	}
	return err
}

// Place returns a directory in which to put a temporary checkpoint of a store:
// the first that takes links of its tables, of the directory of temporary files
// and the one that the store is in. If neither does, it is the former, and the
// tables will be copied.
func Place(from string) string {
	entries, err := os.ReadDir(from)
	if err != nil {
		return os.TempDir()
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".sst") {
			continue
		}
		for _, place := range []string{os.TempDir(), filepath.Dir(filepath.Clean(from))} {
			if takesLink(filepath.Join(from, e.Name()), place) {
				return place
			}
		}
		break
	}
	return os.TempDir()
}

func takesLink(file, place string) bool {
	dir, err := os.MkdirTemp(place, "checkpoint-")
	if err != nil {
		return false
	}
	defer func() { _ = os.RemoveAll(dir) }() // a directory of ours, empty but for the link
	return os.Link(file, filepath.Join(dir, "link")) == nil
}
