package store

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/objstorage/remote"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
	"github.com/gravelkv/gravel/benchdb/internal/objectstore"
)

// creator is the number of the one Pebble instance that writes a store.
const creator = 1

// keepTablesIn makes a store in dir keep its tables in a bucket.
func keepTablesIn(opts *pebble.Options, bucket *objectstore.Bucket, dir string) {
	opts.Experimental.RemoteStorage = bucket.Factory(filepath.Base(dir))
	opts.Experimental.CreateOnShared = remote.CreateOnSharedAll
}

// Objects returns where the blocks of the store's tables are, by the names of
// their objects.
func (s *Store) Objects(ctx context.Context) (objects map[string]diskio.Table, err error) {
	db, err := s.Open(View{Dir: s.Dir, FS: vfs.Default})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	levels, err := db.SSTables()
	if err != nil {
		return nil, err
	}
	objects = make(map[string]diskio.Table)
	for _, tables := range levels {
		for _, t := range tables {
			name, layout, err := s.layout(ctx, db.ObjProvider(), t)
			if err != nil {
				return nil, err
			}
			objects[name] = diskio.NewTable(layout)
		}
	}
	return objects, nil
}

// fileTypeTable is Pebble's number for tables among its files.
const fileTypeTable = 2

func (s *Store) layout(ctx context.Context, objects objstorage.Provider, t pebble.SSTableInfo) (name string, layout *sstable.Layout, err error) {
	object, err := objects.Lookup(fileTypeTable, t.BackingSSTNum)
	if err != nil {
		return "", nil, err
	}
	file, err := objects.OpenForReading(ctx, fileTypeTable, t.BackingSSTNum, objstorage.OpenOptions{})
	if err != nil {
		return "", nil, err
	}
	reader, err := sstable.NewReader(ctx, file, s.readerOptions())
	if err != nil {
		return "", nil, err // the reader closed the file
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	layout, err = reader.Layout()
	return strings.TrimPrefix(objects.Path(object), "remote://"), layout, err
}
