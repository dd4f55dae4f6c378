// Package external finds out whether a store has tables that may show their
// keys with a synthetic prefix, which these do not have in the table's file.
// Pebble does not tell a pebble.BlockPropertyFilter of it, so one that knows
// the keys of the file would hide those of the table.
//
// Such tables come from external objects: files in object storage that the
// store was told to show (pebble.DB.IngestExternalFiles, IngestAndExcise).
package external

import (
	"context"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/objstorage/remote"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// Watch makes the next store that is opened with opts notice when it opens an
// external object. It wraps Options.Experimental.RemoteStorage, which must be
// set before, and does nothing if there is none.
func Watch(opts *pebble.Options) {
	factory := opts.Experimental.RemoteStorage
	if factory == nil {
		return
	}
	if watched, ok := factory.(*watchedFactory); ok {
		factory = watched.StorageFactory // of a store that was opened before
	}
	opts.Experimental.RemoteStorage = &watchedFactory{factory, &Guard{}}
}

// Guard tells if a store has shown an external object. Nil is of a store
// without object storage, which never does.
type Guard struct {
	objects atomic.Pointer[objstorage.Provider]
	seen    atomic.Bool
}

var errUnwatched = ondisk.As(ondisk.ErrRefused, "the options of the store have object storage that was set or used "+
	"after pebbleext.Apply; set Options.Experimental.RemoteStorage, apply, and open one store")

// Of returns the guard of a store that was opened with opts, after Watch.
func Of(db *pebble.DB, opts *pebble.Options) (*Guard, error) {
	if opts.Experimental.RemoteStorage == nil {
		return nil, nil
	}
	watched, ok := opts.Experimental.RemoteStorage.(*watchedFactory)
	if !ok {
		return nil, errUnwatched
	}
	guard, objects := watched.guard, db.ObjProvider()
	if !guard.objects.CompareAndSwap(nil, &objects) && *guard.objects.Load() != objects {
		return nil, errUnwatched
	}
	// Objects that the store opened before this moment are listed.
	for _, object := range objects.List() {
		if object.IsExternal() {
			guard.seen.Store(true)
		}
	}
	return guard, nil
}

// Seen reports whether the store may have opened an external object. It is true
// before any filter is asked for the object's table, and stays so.
func (g *Guard) Seen() bool { return g != nil && g.seen.Load() }

// MayRename reports whether a table may show its keys with a prefix that they
// do not have in its file, beside those of external objects that were opened
// since the store was. Downloads leave such tables, always virtual ones; other
// virtual tables are what excises leave. Pebble shares no table of the kind.
func MayRename(t pebble.SSTableInfo) bool {
	return t.Virtual && t.BackingType != pebble.BackingTypeSharedForeign
}

type watchedFactory struct {
	remote.StorageFactory
	guard *Guard
}

// CreateStorage implements remote.StorageFactory.
func (f *watchedFactory) CreateStorage(locator remote.Locator) (remote.Storage, error) {
	storage, err := f.StorageFactory.CreateStorage(locator)
	if err != nil {
		return nil, err
	}
	return &watchedStorage{storage, locator, f.guard}, nil
}

type watchedStorage struct {
	remote.Storage
	locator remote.Locator
	guard   *Guard
}

// ReadObject implements remote.Storage. A table's object is opened before
// anything of the table is known, its properties included.
func (s *watchedStorage) ReadObject(ctx context.Context, name string) (remote.ObjectReader, int64, error) {
	if objects := s.guard.objects.Load(); objects != nil && len((*objects).GetExternalObjects(s.locator, name)) > 0 {
		s.guard.seen.Store(true)
	}
	return s.Storage.ReadObject(ctx, name)
}
