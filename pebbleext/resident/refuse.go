package resident

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/gravelkv/gravel/pebbleext/internal/external"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// A table can show its keys under a synthetic prefix that they do not have in
// its file. It has the property of that file, and nothing tells a
// pebble.BlockPropertyFilter that the filter holds other keys. Pebble makes
// such tables, always virtual ones, of external files in object storage, and a
// download may leave one behind.

// errExternalFiles is the pebbleext.ErrRefused of a store that shows external
// files.
var errExternalFiles = ondisk.As(ondisk.ErrRefused, "resident filters cannot be used with external files, "+
	"whose tables may show their keys under a synthetic prefix")

// refuse returns errExternalFiles if the store shows external files, or else
// the guard that tells if it does later, and the filters that tables with a
// synthetic prefix may name: those of virtual tables that are there already.
// Others will be what a deletion of a range leaves, and are right.
func (s *store) refuse() (guard *external.Guard, barred map[identity]bool, err error) {
	guard, err = external.Of(s.db, s.opts)
	if err != nil {
		return nil, nil, fmt.Errorf("resident filters: %w", err)
	}
	if guard.Seen() {
		return nil, nil, errExternalFiles
	}
	levels, err := ondisk.Tables(s.db)
	if err != nil {
		return nil, nil, err
	}
	barred = make(map[identity]bool)
	for _, tables := range levels {
		for _, t := range tables {
			if !external.MayRename(t) {
				continue
			}
			h, err := s.readHead(context.Background(), uint64(t.BackingSSTNum))
			if errors.Is(err, fs.ErrNotExist) {
				continue // compacted since, into tables that show their own keys
			}
			if err != nil {
				return nil, nil, err
			}
			barred[h.id] = true
		}
	}
	return guard, barred, nil
}
