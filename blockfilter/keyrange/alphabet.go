package keyrange

// alphabet makes numbers of symbols, the bytes of keys, in the order of keys. A
// digit is 1 for the least symbol of a block, 0 for the end of a key or a
// lesser byte, and the greatest digit for greater bytes.
type alphabet struct{ least, greatest byte }

func (a alphabet) base() uint64 { return uint64(a.greatest) - uint64(a.least) + 3 }

// digits is how many digits a number of 64 bits has.
func (a alphabet) digits() int { return int(digits[a.base()]) }

// digits are those of numbers by their base.
var digits = func() (digits [1<<8 + 3]uint8) {
	for base := uint64(3); base < uint64(len(digits)); base++ {
		for most := ^uint64(0) / base; most > 0; most /= base {
			digits[base]++
		}
	}
	return digits
}()

// value returns the number of a string of symbols. Greater strings never have a
// lesser number, and it is exact if no lesser string has the same one.
func (a alphabet) value(symbols []byte) (v uint64, exact bool) {
	base, left := a.base(), a.digits()
	exact = len(symbols) <= left
	for _, c := range symbols[:min(len(symbols), left)] {
		if c-a.least > a.greatest-a.least { // less, or greater
			exact = false
			if c < a.least {
				break
			}
			for ; left > 0; left-- {
				v = v*base + base - 1
			}
			break
		}
		v = v*base + uint64(c-a.least) + 1
		left--
	}
	for ; left > 0; left-- {
		v *= base
	}
	return v, exact
}
