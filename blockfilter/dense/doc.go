// Package dense implements the best filter that touches one cache line: each
// 512-bit line is a linear system over GF(2) of the keys in it.
//
// A key's hash gives the line, a row that selects slots of the line's m, and a
// fingerprint. The line stores c columns of m bits such that the XOR of the
// selected slots is the fingerprint's first c bits: an absent key passes with
// probability 2⁻ᶜ. A line of X keys has m = X slots, and as many columns as fit
// beside its header of 16 bits. The bits left are one more column, for a share
// of the keys.
//
// As many random equations as slots have a solution with probability 0.29. So
// the line's window chooses one of 16 sets of coefficients of six slots. The
// other slots are eliminated once, and the few equations that are left tell
// which window does. One elimination finds a solution for 96 % of the lines.
// The others get a slot more.
//
// No filter whose keys each have one line of 512 bits can have a rate below
// E[2^(−512/X)] over the number X of its keys. The rates, in percent:
//
//	bits per key   dense    bound    twochoice   bloom
//	6              1.96     1.64     4.59        5.77
//	8              0.557    0.449    1.67        2.33
//	10             0.166    0.130    0.637       0.966
//	12             0.053    0.040    0.255       0.413
//	16             0.0064   0.0046   0.046       0.084
//
// A query of an absent key reads one line and ends, mostly, after four columns.
//
// FORMAT.md in the folder above specifies the bytes.
package dense
