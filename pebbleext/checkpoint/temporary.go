package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
)

// Place returns a directory in which to put a temporary checkpoint of a store:
// that of temporary files, or, if it takes no links of the store's tables, the
// one that the store is in; or that of temporary files, for copies.
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
