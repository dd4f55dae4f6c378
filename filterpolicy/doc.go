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
//	bloom       double-hashed Bloom filter: fastest to build and to ask
//	            layout=line|flat  all probes in one cache line, or textbook
//	            scheme=double|enhanced2|enhanced3|partition|independent|classic
//	                              how a flat filter derives probes
//	            k=1…16            probes per key (flat: 1…100); default: best
//	twochoice   Bloom filter with a choice of groups, optimised while built
//	            layout=line|flat  as above
//	            scheme=double|independent
//	                              how a flat filter derives probes
//	            choices=2…4       groups per key; default: 2
//	            rounds=1…100      rounds of optimisation; default: 4, flat: 8
//	                              times choices
//	            k=1…16            probes per group (flat: 1…64); default: best
//	dense       the best of one cache line a key, which it stores as a linear
//	            system
//	ribbon      near the lower bound in size, slower to build
//	compressed  sparse Bloom filter, entropy-coded and asked in place
//	none        no filter
//
// Every family but none has max=SIZE, such as max=64KiB: the most bytes of a
// block, for which larger tables get fewer bits per key; and verify=true, which
// asks each finished block for all its keys and drops it if it denies one.
//
// Policies are for Pebble v2. Package pebblev1 has them for version 1, package
// pebblenext for the interfaces of the version after; all read the same tables.
package filterpolicy
