package ondisk

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// Errors that package pebbleext exports.
var (
	ErrLocked          = errors.New("the store is open in this or another process")
	ErrNotStore        = pebble.ErrDBDoesNotExist
	ErrUnknownComparer = errors.New("unknown comparer")
	ErrRefused         = errors.New("refused")
)

// As returns an error that is one of the above for errors.Is and has a text of
// its own.
func As(kind error, format string, args ...any) error {
	return shown{kind, fmt.Sprintf(format, args...)}
}

// OpenError returns the error with which pebble.Open failed, or ErrLocked or
// ErrUnknownComparer if that is the reason.
func OpenError(dir string, opts *pebble.Options, err error) error {
	opts = opts.Clone()
	opts.WithFSDefaults()
	if opts.Lock == nil {
		if closed := CheckClosed(dir, opts.FS); errors.Is(closed, ErrLocked) {
			return closed
		}
	}
	return comparerError(dir, opts, err)
}

// comparerError returns ErrUnknownComparer if the store has not that of the
// options, or else err.
func comparerError(dir string, opts *pebble.Options, err error) error {
	own, stored := opts.Comparer.EnsureDefaults().Name, storedComparer(dir, opts.FS)
	if stored == "" || stored == own {
		return err
	}
	return As(ErrUnknownComparer, "%s was written with the comparer %q; Options.Comparer is %q", dir, stored, own)
}

// carrier is the text of an error that Pebble joins to others, and that says
// nothing.
const carrier = "<corruption detail carrier>"

// oneLine returns an error whose text is one line.
func oneLine(err error) error {
	if err == nil {
		return nil
	}
	return shown{err, strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), carrier, "")), " ")}
}

// Named is oneLine for the error of a store in a directory, which the text
// begins with.
func Named(dir string, err error) error {
	if err == nil {
		return nil
	}
	return oneLine(fmt.Errorf("%s: %w", dir, err))
}

// shown is an error with another text.
type shown struct {
	error
	text string
}

func (e shown) Error() string { return e.text }
func (e shown) Unwrap() error { return e.error }
