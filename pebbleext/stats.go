package pebbleext

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
)

// CountProbes makes stores that are opened with opts count what their filters
// answer, by level and family, and returns the counts. Several stores can share
// one Counter, by opts.Filters.
func CountProbes(opts *pebble.Options) *filterpolicy.Counter {
	if opts.Filters == nil {
		opts.Filters = make(map[string]pebble.FilterPolicy)
	}
	counter := filterpolicy.NewCounter()
	opts.Filters[counter.Name()] = counter
	return counter
}

// ReaderOption is an option of NewReader.
type ReaderOption func(*pointread.Version[pebble.IterOptions], *pebble.Comparer)

// WithCounter makes a Reader tell the store's Counter whether keys were found,
// so that it learns which of its filters' answers were false positives. Where
// keys have suffixes, only lookups without, or that find a key, are of use. A
// lookup in 256 is watched, which allocates: see [filterpolicy.Watch]. Lookups
// of absent keys that take 1.2 µs take 3 % longer on average (go test -bench
// Listeners ./pebbleext).
func WithCounter(counter *filterpolicy.Counter) ReaderOption {
	return func(v *pointread.Version[pebble.IterOptions], comparer *pebble.Comparer) {
		v.Watch = func(key []byte) func(prefixFound bool, err error) {
			split := comparer.Split(key)
			watch := counter.Watch(key[:split])
			if watch == nil {
				return nil
			}
			wholeKey := split == len(key)
			return func(prefixFound bool, err error) {
				// Filters know prefixes. Where the lookup came across none, there
				// may still be keys of the prefix before a key with a suffix.
				if err == nil && (prefixFound || wholeKey) {
					watch.Done(prefixFound)
				} else {
					watch.Discard()
				}
			}
		}
	}
}

// WithAbsentKeys makes a Reader call missed with each key that it did not find,
// concurrently where lookups are. The key is the caller's: missed must not keep
// it. What to do with them is, for example, to count them:
//
//	hot, err := hotkeys.New(0.001)
//	…
//	reader := pebbleext.NewReader(db, opts.Comparer, pebbleext.WithAbsentKeys(hot.Add))
//
// That takes 0.2 µs a key (go test -bench Listeners ./pebbleext).
func WithAbsentKeys(missed func(key []byte)) ReaderOption {
	return func(v *pointread.Version[pebble.IterOptions], _ *pebble.Comparer) { v.Missed = missed }
}
