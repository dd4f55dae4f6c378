// Package checkpoint takes a view of a store that is open, in this or another
// process, and goes on being written. It asks nothing of that process, and
// changes and locks nothing of the store.
package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/inspect"
)

// Report is what Take did.
type Report struct {
	Tables int   // files with keys or values, linked or copied
	Bytes  int64 // in them
	Copied int64 // of the bytes, for want of links
	// Attempts is how often Take began, 1 unless the store's own compactions
	// removed tables meanwhile.
	Attempts int
}

// maxAttempts bounds how often Take begins again. An attempt takes a
// millisecond for a hundred tables, and only what is new is linked again.
const maxAttempts = 100

// Take makes a checkpoint of a store: a new directory, to, that opens as a
// store and holds what the tables of the store in the directory from held at
// one moment. What is only in the write-ahead log is left out.
//
// Tables and blob files are hard links, or copies where there can be no links.
// A link keeps a table's space when the store removes the table, until the
// checkpoint is removed. The MANIFEST is a copy up to its length at that
// moment, of which Pebble reads the complete records. The store may remove a
// table of the MANIFEST before Take has linked it; Take then begins again. The
// OPTIONS file is a copy that names no write-ahead log: opening the checkpoint,
// Pebble would take the store's log for its own.
//
// The store must be on the local disk (else pebbleext.ErrNotStore), and its
// comparer be Pebble's or CockroachDB's (else pebbleext.ErrUnknownComparer).
func Take(from, to string) (Report, error) {
	if err := openClose(from); err != nil && !errors.Is(err, pebbleext.ErrLocked) {
		return Report{}, err
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return Report{}, err
	}
	t := taking{fs: vfs.Default, from: from, to: to, done: map[string]bool{}}
	for {
		t.report.Attempts++
		err := t.attempt()
		if err == nil || !errors.Is(err, os.ErrNotExist) || t.report.Attempts == maxAttempts {
			return t.report, err
		}
		time.Sleep(time.Millisecond)
	}
}

// taking is a call of Take.
type taking struct {
	fs       vfs.FS
	from, to string
	done     map[string]bool // tables and blob files by name; they never change
	report   Report
}

// attempt fails with os.ErrNotExist if a file has gone.
func (t *taking) attempt() error {
	names, err := t.fs.List(t.from)
	if err != nil {
		return err
	}
	if err := t.state(names); err != nil {
		return err
	}
	// After the MANIFEST, so that none of its tables is younger.
	if names, err = t.fs.List(t.from); err != nil {
		return err
	}
	for _, name := range names {
		if !holdsData(name) || t.done[name] {
			continue
		}
		if err := t.data(name); err != nil {
			return err
		}
	}
	// Pebble looks for the tables of the MANIFEST.
	return openClose(t.to)
}

func holdsData(name string) bool {
	return strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".blob")
}

// state copies what says which tables there are and how to read them, in place
// of what an attempt before has left.
func (t *taking) state(names []string) error {
	before, err := t.fs.List(t.to)
	if err != nil {
		return err
	}
	for _, name := range before {
		if !holdsData(name) {
			if err := t.fs.Remove(t.path(name)); err != nil {
				return err
			}
		}
	}
	for _, name := range names {
		edit := func(text []byte) []byte { return text }
		switch {
		case strings.HasPrefix(name, "OPTIONS-"):
			edit = withoutLog
		case strings.HasPrefix(name, "marker."), strings.HasPrefix(name, "MANIFEST-"),
			strings.HasPrefix(name, "REMOTE-OBJ-CATALOG-"), name == "CURRENT":
		default:
			continue
		}
		// Up to the length at this moment: a file that grows ends somewhere.
		text, err := os.ReadFile(t.fs.PathJoin(t.from, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(t.path(name), edit(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (t *taking) path(name string) string { return t.fs.PathJoin(t.to, name) }

// withoutLog removes from an OPTIONS file where the write-ahead log is.
func withoutLog(text []byte) []byte {
	lines := strings.SplitAfter(string(text), "\n")
	section := ""
	lines = slices.DeleteFunc(lines, func(line string) bool {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
		}
		return section == "[WAL Failover]" || section == "[Options]" && strings.HasPrefix(line, "wal_dir=")
	})
	return []byte(strings.Join(lines, ""))
}

// data links or copies a table or blob file.
func (t *taking) data(name string) error {
	from, to := t.fs.PathJoin(t.from, name), t.path(name)
	info, err := t.fs.Stat(from)
	if err != nil {
		return err
	}
	if err := t.fs.Link(from, to); errors.Is(err, os.ErrNotExist) {
		return err
	} else if err != nil {
		if err := t.copy(from, to, info.Size()); err != nil {
			return err
		}
		t.report.Copied += info.Size()
	}
	t.done[name] = true
	t.report.Tables++
	t.report.Bytes += info.Size()
	return nil
}

func (t *taking) copy(from, to string, size int64) error {
	usage, err := t.fs.GetDiskUsage(t.to)
	if err == nil && usage.AvailBytes < uint64(size) {
		return fmt.Errorf("%s has no space for copies of tables, and takes no links of them; name a directory on the file system of %s", t.fs.PathDir(t.to), t.from)
	}
	return vfs.Copy(t.fs, from, to)
}

// openClose fails if a directory holds no store that can be inspected.
func openClose(dir string) error {
	s, err := inspect.Open(dir)
	if err != nil {
		return err
	}
	return s.Close()
}
