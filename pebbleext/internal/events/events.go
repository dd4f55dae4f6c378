// Package events listens to a store beside the program's own listener, and tells
// that one of errors.
package events

import "github.com/cockroachdb/pebble/v2"

// OnTables has changed called whenever a store that is opened with opts has
// written, moved or removed tables. It must not call the store.
//
// Callbacks that the program did not set stay unset, so that Pebble sets its
// own, which log errors and end the process at damaged data.
// pebble.Options.AddEventListener would lose these.
func OnTables(opts *pebble.Options, changed func()) {
	l := listener(opts)
	l.FlushEnd = after(l.FlushEnd, changed)
	l.CompactionEnd = after(l.CompactionEnd, changed)
	l.TableDeleted = after(l.TableDeleted, changed)
	l.TableIngested = after(l.TableIngested, changed)
	opts.EventListener = &l
}

// OnOpen has opened called when a store is opened for writing, and now and then
// from then on.
func OnOpen(opts *pebble.Options, opened func()) {
	l := listener(opts)
	l.ManifestCreated = after(l.ManifestCreated, opened)
	l.WALCreated = after(l.WALCreated, opened)
	opts.EventListener = &l
}

// listener returns a copy of the program's, which it may use elsewhere.
func listener(opts *pebble.Options) pebble.EventListener {
	if opts.EventListener == nil {
		return pebble.EventListener{}
	}
	return *opts.EventListener
}

func after[I any](own func(I), then func()) func(I) {
	return func(info I) {
		if own != nil {
			own(info)
		}
		then()
	}
}

// Report tells of an error as Pebble does of those of compactions: the program's
// BackgroundError, or else its log.
func Report(opts *pebble.Options, err error) {
	switch {
	case opts.EventListener != nil && opts.EventListener.BackgroundError != nil:
		opts.EventListener.BackgroundError(err)
	case opts.Logger != nil:
		opts.Logger.Errorf("%v", err)
	}
}
