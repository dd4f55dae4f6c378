//go:build !unix

package resident

// region is memory of the Go heap where there is no other.
type region struct{ bytes []byte }

func newRegion(size int) (region, error) {
	return region{bytes: alignTo(make([]byte, size+lineSize), lineSize)[:size:size]}, nil
}

func (r *region) discard(int, int) {}

func (r *region) free() { *r = region{} }
