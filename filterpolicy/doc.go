// Package filterpolicy plugs Gravel's filters into Pebble:
//
//	opts.Levels[i].FilterPolicy = filterpolicy.Bloom(10)
//
// Policies have a text form, for configuration files and flags, that Parse
// reads and String writes:
//
//	policy = family ":" amount {"," option "=" value}
//	amount = bits per key | percent "%"
//
// The amount is a real number: 9.5 bits per key, or 0.5% of absent keys let
// through. The families and their options, with defaults first:
//
//	bloom   double-hashed Bloom filter
//	        layout=line|flat  all probes in one cache line, or textbook
//	        scheme=double|enhanced2|enhanced3|partition|independent|classic
//	                          how a flat filter derives probes
//	        k=1…16            probes per key (flat: 1…100); best by default
//	        max=64KiB         most bytes of a block; larger tables get fewer
//	                          bits per key
//	none    no filter
package filterpolicy
