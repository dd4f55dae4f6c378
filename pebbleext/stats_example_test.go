package pebbleext_test

import (
	"fmt"
	"log"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/hotkeys"
)

// A Reader with statistics: whether filters earn their memory, and which absent
// keys are asked for most.
func Example_statistics() {
	opts := &pebble.Options{FS: vfs.NewMem()}
	hot, err := hotkeys.New(0.01)
	if err != nil {
		log.Fatal(err)
	}
	counter := filterpolicy.NewCounter()
	db, err := pebbleext.Open("", opts, pebbleext.Options{
		Plan: pebbleext.Uniform(filterpolicy.Bloom(10)), Counter: counter, Absent: hot.Add,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, stone := range []string{"gravel", "pebble", "sandstone"} {
		if err := db.Set([]byte(stone), nil, nil); err != nil {
			log.Fatal(err)
		}
	}
	if err := db.Flush(); err != nil {
		log.Fatal(err)
	}

	for i := range 100_000 {
		key := fmt.Sprintf("marble %d", i)
		if i%10 == 0 {
			key = "quartz"
		}
		if _, err := db.Has([]byte(key)); err != nil {
			log.Fatal(err)
		}
	}
	for _, s := range counter.Stats() {
		_, high := s.RateInterval(1.96)
		fmt.Println(s.Family, s.Skips > s.Positives, high < 0.1)
	}
	for _, k := range hot.Top(1) {
		fmt.Printf("%s %d%%\n", k.Key, 100*k.Count/hot.Total())
	}
	// Output:
	// bloom true true
	// quartz 10%
}
