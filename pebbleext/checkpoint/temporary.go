package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
)

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
