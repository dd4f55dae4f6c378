package ondisk

import (
	"context"
	"errors"

	"github.com/cockroachdb/pebble/v2"
)

// Tables lists the tables of a store by level, as its SSTables does. It fails
// with pebble.ErrClosed once the store is closed, where SSTables panics: work
// in the background may outlive a store.
//
// An iterator pins what the store shows, so that a Close that begins meanwhile
// takes nothing away; it may report the iterator as leaked.
func Tables(db *pebble.DB, options ...pebble.SSTablesOption) (levels [][]pebble.SSTableInfo, err error) {
	defer asErrClosed(&err)
	pin, err := db.NewIter(&pebble.IterOptions{OnlyReadGuaranteedDurable: true})
	if err != nil {
		return nil, err
	}
	if err := checkOpen(db); err != nil {
		// The pin may be on what Close had let go, and must not be released.
		return nil, err
	}
	levels, err = db.SSTables(options...)
	return levels, errors.Join(err, pin.Close())
}

// checkOpen fails with pebble.ErrClosed if the store is closed. Its iterator
// pins nothing.
func checkOpen(db *pebble.DB) (err error) {
	defer asErrClosed(&err)
	batch := db.NewIndexedBatch()
	iter, err := batch.NewBatchOnlyIter(context.Background(), nil)
	if err == nil {
		err = iter.Close()
	}
	return errors.Join(err, batch.Close())
}

// asErrClosed makes Pebble's panic about a closed store an error.
func asErrClosed(err *error) {
	reason := recover()
	if closed, ok := reason.(error); ok && errors.Is(closed, pebble.ErrClosed) {
		*err = pebble.ErrClosed
	} else if reason != nil {
		panic(reason)
	}
}
