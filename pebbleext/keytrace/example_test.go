package keytrace_test

import (
	"fmt"
	"log"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/keytrace"
)

// A store whose lookups are recorded, all of them.
func Example() {
	fs := vfs.NewMem()
	trace, err := keytrace.Create("keys.trace", keytrace.Settings{OneIn: 1, FS: fs})
	if err != nil {
		log.Fatal(err)
	}
	db, err := pebbleext.Open("", &pebble.Options{FS: fs}, pebbleext.Options{Asked: trace.Add})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, stone := range []string{"pebble", "sand"} {
		if _, err := db.Has([]byte(stone)); err != nil {
			log.Fatal(err)
		}
	}
	if err := trace.Close(); err != nil {
		log.Fatal(err)
	}

	file, err := fs.Open("keys.trace")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for key, err := range keytrace.Keys(file) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n", key)
	}
	// Output:
	// pebble
	// sand
}
