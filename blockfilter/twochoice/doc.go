// Package twochoice implements the filter of Lumetta and Mitzenmacher, "Using
// the Power of Two Choices to Improve Bloom Filters", 2007: a key has c groups
// of k probes, is recorded by the one that adds the fewest ones, and is found
// if all probes of any group are set. When a table's filter is written all its
// keys are known, so the choices are made offline, in rounds (§3.2).
//
// The line layout keeps all groups of a key in one cache line: a lookup costs
// one cache miss, and each line is optimised by itself. It is the one to use.
// The flat layout is the paper's setting and reproduces its tables; a lookup
// there costs up to c·k cache misses. With the best k and default rounds:
//
//	bits per key       8       10       12       16       20
//	line  c=2     1.67 %   0.64 %   0.25 %  0.046 % 0.0099 %
//	      c=3     1.48 %   0.54 %   0.21 %  0.036 % 0.0074 %
//	      c=4     1.46 %   0.52 %   0.20 %  0.033 % 0.0066 %
//	flat  c=2     1.48 %   0.51 %   0.18 %  0.022 % 0.0028 %
//	      c=3     1.25 %   0.42 %   0.14 %  0.016 % 0.0020 %
//	      c=4     1.17 %   0.38 %   0.12 %  0.014 % 0.0016 %
//
// (Config.ExpectedRate; TestRates holds filters to it.)
//
// Package dense beats it where vectors of 512 bits are at hand: at 8 bits per
// key it lets a third as many absent keys through and builds in 0.56 of the
// time, with queries as fast (README.md in package compressed).
//
// Building takes one goroutine: Pebble runs several compactions at a time, and
// this work is part of one. A key takes about 75 ns with two choices in the
// line layout, and 16 bytes until the block is finished. README.md has the
// optimiser, its variants and their figures.
package twochoice
