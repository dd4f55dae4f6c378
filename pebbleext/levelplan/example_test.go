package levelplan_test

import (
	"fmt"
	"log"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

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
	// L0-L3=ribbon:16.2;L4=ribbon:14.2;L5=ribbon:12.4;L6=ribbon:9.8
	// 0.0014 wasted reads for each absent key
}
