// Package filterpolicy plugs Gravel's filters into Pebble:
//
//	opts.Levels[i].FilterPolicy = filterpolicy.Dense(10)
//
// That alone is for a new store. In one that exists, where Pebble would ignore
// other policies' filters, use pebbleext.Apply, which keeps them readable.
//
// Policies have a text form, which Parse reads and String writes, such as
// bloom:9.5 for bits per key or ribbon:0.5%,max=64KiB for a rate:
//
//	policy = family ":" amount {"," option "=" value}
//	amount = bits per key | percent "%"
//
//	bloom       double-hashed Bloom filter: fastest to build and to ask
//	twochoice   Bloom filter with a choice of groups: dense is better
//	dense       each cache line a linear system: the best of one cache line
//	ribbon      near the lower bound in size, slower to ask
//	compressed  sparse Bloom filter, entropy-coded: ribbon is better
//	none        no filter
//
// All but none have max=SIZE, the most bytes of a block: larger tables get fewer
// bits per key. With verify=true a finished block is asked for all its keys, and
// dropped if it denies one. README.md has the options of bloom and twochoice.
//
// Policies are for Pebble v2. Package pebblev1 has them for version 1, package
// pebblenext for the version after 2. All read the same tables.
package filterpolicy
