package ondisk

import (
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

// Metrics returns the metrics of a store, or pebble.ErrClosed.
func Metrics(db *pebble.DB) (*pebble.Metrics, error) {
	if err := checkOpen(db); err != nil {
		return nil, err
	}
	return db.Metrics(), nil
}

// checkOpen fails with pebble.ErrClosed if the store is closed: all that it does
// is to ask that. The tables must be listed at once after it. If a flush ended and
// Close went on in between, the pin would be of a state before.
func checkOpen(db *pebble.DB) (err error) {
	defer asErrClosed(&err)
	if err := db.Apply(&pebble.Batch{}, pebble.NoSync); !errors.Is(err, pebble.ErrReadOnly) {
		return err
	}
	return nil
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
