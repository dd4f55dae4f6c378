package prometheus_test

import (
	"fmt"
	"log"

	"github.com/cockroachdb/pebble/v2"
	registry "github.com/prometheus/client_golang/prometheus"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/prometheus"
)

// A program registers the counts of its store before it opens it.
func Example() {
	opts := &pebble.Options{}
	pebbleext.Apply(opts, pebbleext.Uniform(filterpolicy.Bloom(10)))
	collector := prometheus.NewCollector(pebbleext.CountQueries(opts))
	if err := registry.NewRegistry().Register(collector); err != nil {
		log.Fatal(err)
	}
	fmt.Println("registered")
	// Output:
	// registered
}
