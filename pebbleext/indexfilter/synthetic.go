package indexfilter

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/objstorage/remote"
)

// SyntheticPrefixes reports whether a store may have tables with a synthetic
// prefix, now or later. Such a table shows its keys with a prefix that it was
// not written with and that Pebble does not tell filters, so an index filter
// may deny a key that the table has, and must not be asked.
//
// They come from pebble.DB.IngestExternalFiles and IngestAndExcise, which take
// them from Options.Experimental.RemoteStorage. A store that was opened without
// has none.
func SyntheticPrefixes(db *pebble.DB) bool {
	// Nothing public tells if there is remote storage, but the size of a remote
	// object is asked of the object's storage only where there is.
	object := objstorage.ObjectMetadata{}
	object.Remote.CustomObjectName = "none"
	object.Remote.Storage = noStorage{}
	_, err := db.ObjProvider().Size(object)
	return errors.Is(err, errAsked)
}

var errAsked = errors.New("no such object")

// noStorage has no objects.
type noStorage struct{ remote.Storage }

func (noStorage) Size(string) (int64, error) { return 0, errAsked }
