package resident_test

import (
	"fmt"
	"log"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
)

// A store whose filters are in memory of their own, 64 MiB at most.
func Example() {
	db, err := pebbleext.Open("", &pebble.Options{FS: vfs.NewMem()}, pebbleext.Options{FilterMemory: 64 << 20})
	if err != nil {
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

	for i := range 1000 {
		if _, err := db.Has(fmt.Appendf(nil, "stone %d", 2*i+1)); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("filters in memory:", db.Filters().Stats().Filters)

	if err := db.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// filters in memory: 1
}
