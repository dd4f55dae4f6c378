// Package filterpolicy plugs Gravel's filters into Pebble:
//
//	opts.Levels[i].FilterPolicy = filterpolicy.Dense(10)
//
// That alone is for a new store. In a store that exists Pebble would ignore the
// filters of other policies and say nothing: set policies with pebbleext.Apply,
// which keeps them readable.
//
// Policies have a text form, which Parse reads and String writes, such as
// bloom:9.5 for bits per key or ribbon:0.5%,max=64KiB for a rate:
//
//	policy = family ":" amount {"," option "=" value}
//	amount = bits per key | percent "%"
//
//	bloom       double-hashed Bloom filter: fastest to build and to ask
//	twochoice   Bloom filter with a choice of groups, optimised while built:
//	            dense is smaller, and faster to build
//	dense       each cache line a linear system: the best of one cache line
//	ribbon      near the lower bound in size, slower to ask
//	compressed  sparse Bloom filter, entropy-coded and asked in place: ribbon is
//	            smaller and faster to ask, and so is dense up to 12 bits
//	none        no filter
//
// Every family but none has max=SIZE, the most bytes of a block: larger tables
// get fewer bits per key. Each also has verify=true: a finished block is asked
// for all its keys, and dropped if it denies one. README.md has the options of
// bloom and twochoice.
//
// Policies are for Pebble v2. Package pebblev1 has them for version 1, package
// pebblenext for the version after 2. All read the same tables.
package filterpolicy
