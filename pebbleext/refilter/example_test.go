package refilter_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/refilter"
)

// A store with Pebble's own filters gets Gravel's in all its tables at once.
func ExampleRun() {
	opts := &pebble.Options{FS: vfs.NewMem()}
	opts.Levels[0].FilterPolicy = bloom.FilterPolicy(10)
	if err := fill("store", opts); err != nil {
		log.Fatal(err)
	}

	plan, err := pebbleext.ParsePlan("L0-L5=dense:10;L6=ribbon:8")
	if err != nil {
		log.Fatal(err)
	}
	report, err := refilter.Run(context.Background(), "store", opts, plan, refilter.Settings{BytesPerSecond: 64 << 20})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Done, "of", report.Tables, "tables were rewritten")

	again, err := refilter.Run(context.Background(), "store", opts, plan, refilter.Settings{DryRun: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Pending, "tables lack the plan's filters")
	// Output:
	// 1 of 1 tables were rewritten
	// 0 tables lack the plan's filters
}

// A program does the same with its store while it works.
func ExampleInBackground() {
	opts := &pebble.Options{FS: vfs.NewMem()}
	if err := fill("store", opts); err != nil {
		log.Fatal(err)
	}
	report, err := refilter.InBackground("store", opts, pebbleext.Plan{}, 16<<20)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Pending, "tables to rewrite, beside all other work")
	db, err := pebbleext.Open("store", opts, pebbleext.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	// Output:
	// 1 tables to rewrite, beside all other work
}

// fill makes a store with one table.
func fill(dir string, opts *pebble.Options) error {
	db, err := pebble.Open(dir, opts)
	if err != nil {
		return err
	}
	for i := range 1000 {
		if err := db.Set(fmt.Appendf(nil, "stone %d", i), nil, nil); err != nil {
			return err
		}
	}
	if err := db.Flush(); err != nil {
		return err
	}
	return db.Close()
}
