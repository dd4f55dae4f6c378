package pebblev1_test

import (
	"fmt"
	"log"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/vfs"

	filters "github.com/gravelkv/gravel/filterpolicy/pebblev1"
	"github.com/gravelkv/gravel/pebbleext/pebblev1"
)

// A store that Pebble v1 wrote without filters, opened with them.
func Example() {
	opts := &pebble.Options{FS: vfs.NewMem()}
	old, err := pebble.Open("store", opts)
	if err != nil {
		log.Fatal(err)
	}
	if err := old.Set([]byte("pebble"), []byte("a small stone"), nil); err != nil {
		log.Fatal(err)
	}
	if err := old.Close(); err != nil {
		log.Fatal(err)
	}

	db, err := pebblev1.Open("store", &pebble.Options{FS: opts.FS}, pebblev1.Uniform(filters.Bloom(10)))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	value, closer, err := db.Get([]byte("pebble"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", value)
	if err := closer.Close(); err != nil {
		log.Fatal(err)
	}
	_, _, err = db.Get([]byte("sand"))
	fmt.Println(err)
	// Output:
	// a small stone
	// pebble: not found
}
