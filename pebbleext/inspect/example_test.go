package inspect_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/inspect"
)

// A program looks into the filters of its own store, which is open.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	opts := &pebble.Options{}
	pebbleext.Apply(opts, pebbleext.Options{})
	db, err := pebble.Open(filepath.Join(dir, "store"), opts)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for i := range 10_000 {
		if err := db.Set(fmt.Appendf(nil, "stone %d", i), nil, pebble.NoSync); err != nil {
			log.Fatal(err)
		}
	}
	if err := db.Flush(); err != nil {
		log.Fatal(err)
	}

	view := filepath.Join(dir, "view")
	if err := db.Checkpoint(view); err != nil {
		log.Fatal(err)
	}
	store, err := inspect.Open(view)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	report, err := store.Report(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range report.Rows {
		fmt.Printf("L%d: %s, %d keys, %.0f bits per key\n", r.Level, r.Family, r.Keys, r.BitsPerKey())
	}
	// Output:
	// L0: ribbon, 10000 keys, 14 bits per key
}
