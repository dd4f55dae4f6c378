package metrics_test

import (
	"fmt"
	"log"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/metrics"
)

// A program makes a counter before it opens its store, and registers it.
func Example() {
	counter := filterpolicy.NewCounter()
	db, err := pebbleext.Open("", &pebble.Options{FS: vfs.NewMem()}, pebbleext.Options{Counter: counter})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	registry := prometheus.NewRegistry() // or prometheus.DefaultRegisterer
	if err := registry.Register(metrics.NewCollector(counter)); err != nil {
		log.Fatal(err)
	}

	for _, stone := range []string{"gravel", "sandstone"} {
		if err := db.Set([]byte(stone), nil, nil); err != nil {
			log.Fatal(err)
		}
	}
	if err := db.Flush(); err != nil {
		log.Fatal(err)
	}
	for i := range 10_000 {
		if _, err := db.Has(fmt.Appendf(nil, "pebble %d", i)); err != nil {
			log.Fatal(err)
		}
	}
	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			fmt.Println(f.GetName(), m.GetLabel()[0].GetValue(), m.GetLabel()[1].GetValue())
		}
	}
	// Output:
	// gravel_filter_false_positives_total ribbon L0
	// gravel_filter_positives_total ribbon L0
	// gravel_filter_skips_total ribbon L0
	// gravel_filter_tests_total ribbon L0
}
