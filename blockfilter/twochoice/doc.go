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
// # The optimiser
//
// A round of the line layout takes a line's keys in order, removes each and
// inserts it again by the group that adds the fewest ones. The following
// differs from the paper's greedy algorithm. The rates are of 6,000 simulated
// lines at 10 bits per key, c = 2 and k = 8, where the paper's takes 4 rounds to
// 0.681 %, 8 to 0.653 % and 20 to 0.641 %, and the least rate that annealing
// finds in 2,000 rounds is 0.615 %.
//
//   - A tie moves a key to the other group. Random ties explore less; moving
//     reaches 0.655 % after 4 rounds and 0.633 % after 8. If a tie leaves the
//     key where it is, rounds end at 0.741 %.
//   - The first round counts a bit that four or more groups hold as set, since
//     it will be: 0.647 % after 4 rounds, for half a round's time.
//   - A line gets rounds in proportion to its load, for full lines let most
//     absent keys through: 0.644 % after 4 rounds. At 16 bits and c = 4 this
//     takes 0.0345 % to 0.0329 %.
//
// Tried and left out:
//
//   - Going over the keys forward and backward in turns, which saves stacking up
//     unions: 0.711 % instead of 0.655 %, since the keys that have just moved
//     are asked again.
//   - Counting a bit that only one other key holds as a fraction of a new one:
//     no better in the first two rounds, and worse from then on (0.673 %
//     instead of 0.655 % with a sixteenth, 0.675 % with a quarter).
//   - Accepting a group that is worse by one bit in the second round: 0.658 %
//     instead of 0.644 % after 4 rounds, even after 8, 0.2 % better after 20.
//   - Several starts, of which the best is kept: two of 4 rounds reach 0.635 %,
//     one of 8 rounds 0.630 %; at 16 rounds in all two starts win by 0.6 %.
//   - A k for each line by its load: at best 1.2 % of the rate at 8 bits per key,
//     2.0 % at 10 and 3.7 % at 16, if storing it were free.
//   - Counters of holders instead of unions, to remove keys: the same choices at
//     the same or more time in portable code, and nothing for SIMD to work on.
//
// # Cost
//
// Processor time of BenchmarkBuild, hashes given, in the line layout with a
// million keys, on a Xeon of the Sapphire Rapids generation:
//
//	ns per key       AVX-512   portable
//	 8 bits, c=2          76        130
//	10 bits, c=2          73        129
//	16 bits, c=2          81        143
//	10 bits, c=3          96        167
//	10 bits, c=4         117        203
//
// A flat filter takes 110 to 130 ns a key and round. Building takes one
// goroutine: Pebble runs several compactions at a time, and this work is part
// of one. Beside the block and the hashes it needs 8 bytes a key, so 16 in all,
// in the line layout; see Config.AppendBlock.
package twochoice
