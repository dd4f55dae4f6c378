package pebbleext

import "github.com/gravelkv/gravel/pebbleext/internal/ondisk"

// Errors of this package and of those beside it, to be told apart with
// errors.Is. The text of an error names what is wrong with which store.
var (
	// ErrLocked means that the store is open in this or another process.
	ErrLocked = ondisk.ErrLocked
	// ErrNotStore means that a directory holds no Pebble store. It is
	// pebble.ErrDBDoesNotExist.
	ErrNotStore = ondisk.ErrNotStore
	// ErrUnknownComparer means that the store was written with another comparer
	// than that of the options, or with a comparer, merger or key schema that is
	// neither Pebble's nor CockroachDB's where there are no options.
	ErrUnknownComparer = ondisk.ErrUnknownComparer
	// ErrRefused means that the store could be harmed, or read wrongly: package
	// refilter rewrites no tables in shared storage, none whose block properties
	// would be lost, and no store whose log it does not find; package resident
	// does not serve stores that show external files; and no package opens a
	// store of a format that is newer than this Pebble.
	ErrRefused = ondisk.ErrRefused
)
