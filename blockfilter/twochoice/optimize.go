package twochoice

import (
	"math"
	"math/bits"

	"github.com/gravelkv/gravel/blockfilter/internal/line"
)

// mask is a set of bits of one line.
type mask = line.Mask

// maxLoad is the most keys of one line whose groups are chosen; the rest take
// their first group. It bounds the memory of an optimizer, and is met only
// below one bit per key, where a line is full whatever is chosen.
const maxLoad = 1024

// optimizer chooses the groups that record the keys of one line, so that the
// line has few ones. Its buffers serve one line after another.
//
// A round takes the keys in order. It removes each key, and puts it back by the
// group that adds the fewest ones to what the other keys hold. The keys before
// it hold their new groups, and a running union has their bits. The keys after
// it hold their old groups, and the union of these was stacked up before the
// round. So no bit needs a counter of the keys that hold it, and a key takes a
// few operations on 512 bits for each of its groups.
type optimizer struct {
	probes, choices int

	masks  []mask  // of group g of key i at i·choices+g
	chosen []uint8 // group of each key
	later  []mask  // what the keys after each key hold
}

// line returns the bits of a line that holds the given keys, one or more,
// after a number of rounds, one or more.
func (o *optimizer) line(hashes []uint64, rounds int) mask {
	n := min(len(hashes), maxLoad)
	o.grow(n)
	line.Masks(o.masks, hashes[:n], o.probes, o.choices)
	o.stackPopular()
	union := o.round()
	for range rounds - 1 {
		o.stackChosen()
		union = o.round()
	}
	for _, h := range hashes[n:] {
		union.AddGroup(h, 0, o.probes)
	}
	return union
}

// grow sets the length of the buffers for n keys, which are in group 0.
func (o *optimizer) grow(n int) {
	if n > cap(o.chosen) {
		room := n + n/2
		o.masks = make([]mask, room*o.choices)
		o.chosen = make([]uint8, room)
		o.later = make([]mask, room)
	}
	o.masks, o.chosen, o.later = o.masks[:n*o.choices], o.chosen[:n], o.later[:n]
	clear(o.chosen)
}

// stackPopularGeneric fills later for the first round, when later keys have no
// group yet. It takes the bits that four or more groups of any keys hold: most
// of them will be ones in the end. This is worth a round and costs half of one.
func (o *optimizer) stackPopularGeneric() {
	var popular mask
	for w := range popular {
		// A counter of holders in three planes of bits, the last one sticky.
		var ones, twos, fours uint64
		for i := range o.masks {
			m := o.masks[i][w]
			carry := ones & m
			ones ^= m
			fours |= twos & carry
			twos ^= carry
		}
		popular[w] = fours
	}
	for i := range o.later {
		o.later[i] = popular
	}
}

// stackChosenGeneric fills later with what the chosen groups hold.
func (o *optimizer) stackChosenGeneric() {
	var u0, u1, u2, u3, u4, u5, u6, u7 uint64 // a mask in registers: half the time
	later := o.later[:len(o.chosen)]
	for i := len(later) - 1; i >= 0; i-- {
		l := &later[i]
		l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7] = u0, u1, u2, u3, u4, u5, u6, u7
		m := &o.masks[i*o.choices+int(o.chosen[i])]
		u0, u1, u2, u3 = u0|m[0], u1|m[1], u2|m[2], u3|m[3]
		u4, u5, u6, u7 = u4|m[4], u5|m[5], u6|m[6], u7|m[7]
	}
}

// roundGeneric chooses the group of every key anew and returns the union of the
// chosen groups. A tie moves the key away from the group it was in.
func (o *optimizer) roundGeneric() (union mask) {
	c := o.choices
	later := o.later[:len(o.chosen)]
	for i := range o.chosen {
		l := &later[i]
		free0, free1 := ^(union[0] | l[0]), ^(union[1] | l[1])
		free2, free3 := ^(union[2] | l[2]), ^(union[3] | l[3])
		free4, free5 := ^(union[4] | l[4]), ^(union[5] | l[5])
		free6, free7 := ^(union[6] | l[6]), ^(union[7] | l[7])

		groups := o.masks[i*c : i*c+c]
		last := int(o.chosen[i])
		best := math.MaxInt32
		for g := range groups {
			m := &groups[g]
			ones := bits.OnesCount64(m[0]&free0) + bits.OnesCount64(m[1]&free1) +
				bits.OnesCount64(m[2]&free2) + bits.OnesCount64(m[3]&free3) +
				bits.OnesCount64(m[4]&free4) + bits.OnesCount64(m[5]&free5) +
				bits.OnesCount64(m[6]&free6) + bits.OnesCount64(m[7]&free7)
			// The minimum is taken without a branch, which would be a coin
			// toss: that halves the time.
			less := rank(ones, g, last) - best
			best += less & (less >> (bits.UintSize - 1))
		}
		g := best & 3
		o.chosen[i] = uint8(g)
		m := &groups[g]
		union[0], union[1], union[2], union[3] = union[0]|m[0], union[1]|m[1], union[2]|m[2], union[3]|m[3]
		union[4], union[5], union[6], union[7] = union[4]|m[4], union[5]|m[5], union[6]|m[6], union[7]|m[7]
	}
	return union
}

// rank orders the groups of a key by their new ones. Of groups with equally
// many the key's last one, for which g−last−1 is 3 modulo 4, comes last. The
// rank modulo 4 is the group.
func rank(ones, g, last int) int { return ones<<4 | (g-last-1)&3<<2 | g }
