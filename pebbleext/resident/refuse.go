package resident

import (
	"context"
	"errors"
	"io/fs"
)

// A table can show its keys under a synthetic prefix that they do not have in
// its file. It has the property of that file, and nothing tells a
// pebble.BlockPropertyFilter that the filter holds other keys. Pebble makes
// such tables, always virtual ones, from files in object storage
// (IngestExternalFiles), and a download may leave one behind on local disk.

// ErrRefused is the error of Start for a store that may get such tables.
var ErrRefused = errors.New("resident filters cannot be used with object storage, " +
	"whose tables may show their keys under a synthetic prefix")

// refuse returns ErrRefused if the store may get tables with a synthetic
// prefix, or else the filters that tables with one may name: those of virtual
// tables that are there already. Others will be what a deletion of a range
// leaves, and are right.
func (s *store) refuse(ctx context.Context) (barred map[identity]bool, err error) {
	if s.opts.Experimental.RemoteStorage != nil {
		return nil, ErrRefused
	}
	levels, err := s.db.SSTables()
	if err != nil {
		return nil, err
	}
	barred = make(map[identity]bool)
	for level, tables := range levels {
		for _, t := range tables {
			if !t.Virtual {
				continue
			}
			h, err := s.readHead(ctx, newTableFile(t, level))
			if errors.Is(err, fs.ErrNotExist) {
				continue // compacted since, into tables that show their own keys
			}
			if err != nil {
				return nil, err
			}
			barred[h.id] = true
		}
	}
	return barred, nil
}
