package filterpolicy_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/filterpolicy"
)

// BenchmarkCounter compares a Counter with a Policy, as BenchmarkAgainstPebble
// does with Pebble's filter; what it calls pebble-ns is the Policy's.
func BenchmarkCounter(b *testing.B) {
	var opts pebble.Options
	filterpolicy.NewCounter().CountIn(&opts)
	counted := opts.Filters[filterpolicy.Name]
	for _, keys := range []int{10_000, 1_000_000} {
		present, absent := randomKeys(keys, 16, 1), randomKeys(questions, 16, 2)
		for _, text := range []string{"bloom:10", "twochoice:10", "dense:10", "ribbon:7", "compressed:8"} {
			plain := parse(b, text)
			filter := build(plain, present)
			for op, asked := range map[string][][]byte{"absent": absent, "present": present[:questions]} {
				b.Run(fmt.Sprintf("policy=%s/keys=%d/op=%s", text, keys, op), func(b *testing.B) {
					compare(b, questions, func() { ask(counted, filter, asked) }, func() { ask(plain, filter, asked) })
				})
			}
		}
	}
}
