// Package tuner keeps the level plan of an open store near the best, for what
// the store holds and for what it is asked:
//
//	t, err := tuner.New(opts, plan, tuner.Settings{
//		Budget:  levelplan.Budget{Bytes: 64 << 20},
//		Counter: pebbleext.CountQueries(opts),
//	})
//	…
//	db, err := pebble.Open(dir, opts)
//	…
//	go t.Run(ctx, db)
//
// With Settings.Resident it also divides the memory of the block cache: between
// the blocks in it, table filters among them, and resident filters.
package tuner
