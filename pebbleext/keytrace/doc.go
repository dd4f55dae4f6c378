// Package keytrace records a sample of the keys that a program looks up, in a
// file of bounded size:
//
//	trace, err := keytrace.Create("keys.trace", keytrace.Settings{})
//	…
//	db, err := pebbleext.Open(dir, opts, pebbleext.Options{Asked: trace.Add})
//	…
//	err = trace.Close()
//
// The command replay looks them up again, in a copy of the store with other
// filters:
//
//	benchdb replay DIR --keys keys.trace
//
// # What a sample shows
//
// A sample has the keys in the shares that all lookups have them. How often the
// block cache still has a block from the lookup before it tells only if all
// lookups are recorded, OneIn: 1. Between two lookups of a sample others are
// left out, so a replay with the same cache finds more in it than the program
// did.
//
// # Cost
//
// A lookup that is not recorded takes 10 ns more of a processor's time, one
// that is 0.2 µs (go test -bench Add ./pebbleext/keytrace, AMD EPYC). It writes
// memory of other cores only if it is recorded. It never waits for the file:
// keys that come too fast for it are dropped, and an error of the file ends the
// recording and nothing else.
package keytrace
