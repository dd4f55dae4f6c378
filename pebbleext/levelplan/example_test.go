package levelplan_test

import (
	"fmt"
	"log"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

// A policy of Gravel stands where Pebble's own would; reads stay as they are.
func Example_dropIn() {
	opts := &pebble.Options{FS: vfs.NewMem()}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = filterpolicy.Bloom(10)
	}
	db, err := pebble.Open("", opts)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := db.Set([]byte("pebble"), []byte("a small stone"), nil); err != nil {
		log.Fatal(err)
	}
	if err := db.Flush(); err != nil {
		log.Fatal(err)
	}
	_, _, err = db.Get([]byte("pebbles"))
	fmt.Println(err)
	// Output:
	// pebble: not found
}

func ExampleShape_Plan() {
	// That of an open store is levelplan.ReadShape(db, opts.Comparer).
	shape := levelplan.Shape{Levels: []levelplan.LevelShape{
		{Level: 0, Keys: 2_000},
		{Level: 4, Keys: 8_000},
		{Level: 5, Keys: 30_000},
		{Level: 6, Keys: 160_000},
	}}
	uniform, err := shape.Uniform("bloom", 256<<10)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := shape.Plan(levelplan.Budget{Bytes: 256 << 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range []pebbleext.Plan{uniform, plan} {
		f, err := shape.Forecast(p, levelplan.Reads{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v\n%.4f wasted reads for each absent key\n", p, f.Absent)
	}
	// Output:
	// bloom:10.4
	// 0.0319 wasted reads for each absent key
	// L0-L3=dense:18;L4=dense:15.3;L5=ribbon:12;L6=ribbon:9.8
	// 0.0015 wasted reads for each absent key
}
