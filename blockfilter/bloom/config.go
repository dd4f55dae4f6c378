package bloom

// Scheme is how a flat filter derives its probes.
type Scheme uint8

// The schemes of flat filters. Their values are stored in blocks.
const (
	// Double probes h1 + i·h2 mod m (Kirsch and Mitzenmacher 2008, §5.2).
	Double Scheme = iota
	// Enhanced2 probes h1 + i·h2 + i² mod m (§5.2).
	Enhanced2
	// Enhanced3 probes h1 + i·h2 + i³ mod m (§5.2).
	Enhanced3
	// Partition probes h1 + i·h2 mod m/k in the i-th of k equal parts (§5.1).
	Partition
	// Independent computes a hash for each probe.
	Independent
	// Classic draws k distinct bits, Bloom's own filter (Burns §3.4).
	Classic
)

const (
	// MaxFlatProbes is the most probes of a key in the flat layout.
	MaxFlatProbes = 100

	// flatLayouts is the layout, in a trailer, of flat filters of the first
	// scheme. That of filters in lines is 0.
	flatLayouts = 1
)

// Config describes Bloom filters to build. Package blockfilter checks it.
type Config struct {
	BitsPerKey float64
	// MaxBytes caps the size of a block, its trailer included. Zero is no cap.
	MaxBytes int
	// Flat spreads the probes of a key over the whole array, as in the
	// textbook, and derives them by a Scheme. Otherwise they are in one cache
	// line.
	Flat   bool
	Scheme Scheme
	// Probes is the number k of probes of a key. Zero takes the k of the least
	// false-positive rate.
	Probes int
}

// probes returns k.
func (c Config) probes() int {
	switch {
	case c.Probes > 0:
		return c.Probes
	case c.Flat:
		return min(bestProbes(c.BitsPerKey), MaxFlatProbes)
	}
	return lineProbes(c.BitsPerKey)
}
