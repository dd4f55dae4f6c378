package compressed

// inPlaceBits is what a block takes per key beyond BitsPerKey. Coded to its
// entropy, the array of compressed:8 would take 7.93 bits per key; counting
// bits instead of decoding takes 0.19 more, and finding a line 0.06.
const inPlaceBits = 0.18

// Config describes compressed filters to build. Package blockfilter checks it.
type Config struct {
	// BitsPerKey is Mitzenmacher's z within 0.1: the size of a filter packed as
	// a whole, of which a block has the false-positive rate. To answer in place
	// a block takes 0.18 bits per key more, and a trailer.
	BitsPerKey float64
	// MaxBytes caps the size of a block, its trailer included. Zero is no cap,
	// and below 282 no cap holds.
	MaxBytes int
}
