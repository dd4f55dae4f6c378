package ycsb

import "strconv"

// AppendKey appends the key of a record, "user" and a decimal hash of its
// number, as YCSB's CoreWorkload writes it with insertorder=hashed and no zero
// padding.
func AppendKey(dst []byte, number uint64) []byte {
	return strconv.AppendUint(append(dst, "user"...), hash(number), 10)
}

// hash is YCSB's Utils.fnvhash64: 64-bit FNV-1a over the number's eight bytes,
// low byte first, and the absolute value of that as a signed number. The other
// byte order would leave keys of neighbouring numbers next to each other.
func hash(number uint64) uint64 {
	h := uint64(0xcbf29ce484222325)
	for range 8 {
		h = (h ^ number&0xff) * 0x100000001b3
		number >>= 8
	}
	if int64(h) < 0 {
		return -h
	}
	return h
}
