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
	opts := &pebble.Options{FS: vfs.NewMem()}
	counter := pebbleext.CountQueries(opts)
	db, err := pebbleext.Open("", opts, pebbleext.Uniform(filterpolicy.Bloom(10)))
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
	// gravel_filter_false_positives_total bloom L0
	// gravel_filter_positives_total bloom L0
	// gravel_filter_skips_total bloom L0
	// gravel_filter_tests_total bloom L0
}
