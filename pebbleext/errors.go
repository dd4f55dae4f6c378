package pebbleext

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// Errors of this package and of those beside it, to be told apart with
// errors.Is. The text of an error names what is wrong with which store.
var (
	// ErrLocked means that the store is open in this or another process.
	ErrLocked error = locked
	// ErrNotStore means that a directory holds no Pebble store. It is
	// pebble.ErrDBDoesNotExist.
	ErrNotStore error = pebble.ErrDBDoesNotExist
	// ErrUnknownComparer means that the store was written with another comparer
	// than that of the options, or with a comparer, merger or key schema that is
	// neither Pebble's nor CockroachDB's where there are no options.
	ErrUnknownComparer error = unknownComparer
	// ErrRefused means that the store could be harmed, or read wrongly: package
	// refilter rewrites no tables in shared storage, none whose block properties
	// would be lost, and no store whose log it does not find; package resident
	// does not serve stores that show external files; and no package opens a
	// store of a format that is newer than this Pebble.
	ErrRefused error = refused
)

// Packages that this one imports return them, too.
var locked, unknownComparer, refused = ondisk.ErrLocked, ondisk.ErrUnknownComparer, ondisk.ErrRefused
