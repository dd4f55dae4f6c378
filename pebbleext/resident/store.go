package resident

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// store is the Pebble store whose tables are read.
type store struct {
	db   *pebble.DB
	opts *pebble.Options // of which db has a copy
}

// report tells the store's owner of an error, as Pebble does of those of
// compactions.
func (s *store) report(err error) {
	err = fmt.Errorf("resident filters: %w", err)
	switch {
	case s.opts.EventListener != nil && s.opts.EventListener.BackgroundError != nil:
		s.opts.EventListener.BackgroundError(err)
	case s.opts.Logger != nil:
		s.opts.Logger.Errorf("%v", err)
	}
}

// tableFile is a file that holds a table, or several virtual ones.
type tableFile struct {
	number uint64
	level  int // the upmost
	// last is at or after the last prefix of its keys, nil if that is unknown.
	last []byte
	tag  tableTag // 0 for a file on local disk
}

// files lists the files of the store's tables.
func (s *store) files() ([]tableFile, error) {
	levels, err := ondisk.Tables(s.db)
	if err != nil {
		return nil, err
	}
	split := s.opts.Comparer.EnsureDefaults().Split
	var files []tableFile
	seen := make(map[uint64]bool)
	for level, tables := range levels {
		for _, t := range tables {
			file := tableFile{number: uint64(t.BackingSSTNum), level: level}
			if seen[file.number] {
				continue
			}
			seen[file.number] = true
			if t.BackingType != pebble.BackingTypeLocal {
				file.tag = newTableTag(t)
			}
			if !t.Virtual { // the bounds are those of the whole file
				file.last = t.Largest.UserKey[:split(t.Largest.UserKey)]
			}
			files = append(files, file)
		}
	}
	return files, nil
}

// head is what a table says of its filter.
type head struct {
	id     identity
	policy pebble.FilterPolicy
	size   int // of the block, 0 if there is none that can be asked
}

// headBytes is what reading a head reads: the footer, the list of blocks, the
// properties.
const headBytes = 12 << 10

// readHead reads a table's head.
func (s *store) readHead(ctx context.Context, file uint64) (h head, err error) {
	err = ondisk.WithTable(ctx, s.db, s.opts, file, func(_ objstorage.Readable, r *sstable.Reader) error {
		property := r.UserProperties[PropertyName]
		if len(property) == 0 {
			return nil // without its first byte, which is Pebble's
		}
		id, _, ok := parseProperty([]byte(property[1:]))
		if !ok {
			return nil
		}
		all, err := r.ReadPropertiesBlock(ctx, nil)
		if err != nil {
			return err
		}
		if policy, ok := s.opts.Filters[all.FilterPolicyName]; ok {
			h = head{id: id, policy: unwrap(policy), size: int(all.FilterSize)}
		}
		return nil
	})
	return h, err
}
