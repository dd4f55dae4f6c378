package tuner_test

import (
	"fmt"
	"log"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
	"github.com/gravelkv/gravel/pebbleext/tuner"
)

func Example() {
	plan, err := pebbleext.ParsePlan("bloom:10")
	if err != nil {
		log.Fatal(err)
	}
	opts := &pebble.Options{FS: vfs.NewMem()}
	t, err := tuner.New(opts, plan, tuner.Settings{
		Budget:  levelplan.Budget{Bytes: 64 << 20},
		Counter: pebbleext.CountQueries(opts),
		Event: func(e tuner.Event) {
			fmt.Println("changed:", e.Changed, e.Err)
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	db, err := pebble.Open("", opts)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	// A service calls t.Run(ctx, db) in a goroutine of its own.
	t.Tune(db)
	fmt.Println(t.Plan())
	// Output:
	// changed: false <nil>
	// bloom:10
}
