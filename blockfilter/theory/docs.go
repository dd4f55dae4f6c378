// Package theory holds the formulas by which filters are sized: false-positive
// rates, the best number of probes, and the bits per key that a rate needs.
package theory
