// Package levelplan finds the level plan that spends a memory budget where it
// saves most reads.
//
//	shape, err := levelplan.ReadShape(db, opts.Comparer)
//	…
//	plan, err := shape.Plan(levelplan.Budget{Bytes: 64 << 20})
//	…
//	pebbleext.Apply(opts, plan)
//
// A [Shape] says how many keys each level of a store has, [Shape.Plan] makes a
// plan for it, and [Shape.Forecast] says what any plan will cost and save.
package levelplan
