package resident_test

import (
	"context"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/remote"
)

// objectStorage is in memory. It counts requests for bytes of objects, and does
// what a test wants before each.
type objectStorage struct {
	remote.Storage
	Reads  atomic.Int64
	Opens  atomic.Int64 // of objects
	before atomic.Pointer[func(context.Context) error]
}

func newObjectStorage() *objectStorage { return &objectStorage{Storage: remote.NewInMem()} }

// Before makes reads call a function first, whose error is theirs. Nil ends it.
func (o *objectStorage) Before(do func(context.Context) error) {
	if do == nil {
		o.before.Store(nil)
		return
	}
	o.before.Store(&do)
}

// SetOptions makes a store keep all of its tables there.
func (o *objectStorage) SetOptions(opts *pebble.Options) {
	opts.Experimental.RemoteStorage = remote.MakeSimpleFactory(map[remote.Locator]remote.Storage{"": o})
	opts.Experimental.CreateOnShared = remote.CreateOnSharedAll
}

// ReadObject implements remote.Storage.
func (o *objectStorage) ReadObject(ctx context.Context, name string) (remote.ObjectReader, int64, error) {
	o.Opens.Add(1)
	if err := o.wait(ctx); err != nil {
		return nil, 0, err
	}
	r, size, err := o.Storage.ReadObject(ctx, name)
	return &objectReader{r, o}, size, err
}

func (o *objectStorage) wait(ctx context.Context) error {
	if do := o.before.Load(); do != nil {
		return (*do)(ctx)
	}
	return nil
}

type objectReader struct {
	remote.ObjectReader
	objects *objectStorage
}

// ReadAt implements remote.ObjectReader.
func (r *objectReader) ReadAt(ctx context.Context, p []byte, offset int64) error {
	r.objects.Reads.Add(1)
	if err := r.objects.wait(ctx); err != nil {
		return err
	}
	return r.ObjectReader.ReadAt(ctx, p, offset)
}
