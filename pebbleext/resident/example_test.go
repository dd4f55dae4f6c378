package resident_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

// A store whose filters are in memory of their own, 64 MiB at most.
func Example() {
	plan, err := pebbleext.ParsePlan("dense:10")
	if err != nil {
		log.Fatal(err)
	}
	filters, err := resident.New(resident.Settings{Budget: 64 << 20})
	if err != nil {
		log.Fatal(err)
	}
	opts := &pebble.Options{FS: vfs.NewMem()}
	pebbleext.Apply(opts, plan)
	filters.Apply(opts)
	db, err := pebble.Open("", opts)
	if err != nil {
		log.Fatal(err)
	}
	if err := filters.Start(db, opts); err != nil {
		log.Fatal(err)
	}
	for i := range 1000 {
		if err := db.Set(fmt.Appendf(nil, "stone %d", 2*i), nil, nil); err != nil {
			log.Fatal(err)
		}
	}
	if err := db.Flush(); err != nil {
		log.Fatal(err)
	}

	reader := pebbleext.NewReader(db, opts.Comparer, pebbleext.WithResident(filters))
	for i := range 1000 {
		if _, err := reader.Has(fmt.Appendf(nil, "stone %d", 2*i+1)); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("filters in memory:", filters.Stats().Filters)

	// The filters end before their store.
	if err := errors.Join(filters.Close(), db.Close()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// filters in memory: 1
}
