//go:build unix

package resident

import "golang.org/x/sys/unix"

// region is memory outside of the Go heap, which the garbage collector neither
// scans nor counts: at GOGC=100 a byte on the heap costs up to two. It takes
// memory of the machine as it is written.
type region struct {
	bytes  []byte // begins at a multiple of largePage
	mapped []byte
}

// largeRegion is from which size on a region may take a whole largePage where a
// part of one is written.
const largeRegion = 16 * largePage

func newRegion(size int) (region, error) {
	if size == 0 {
		return region{}, nil
	}
	mapped, err := unix.Mmap(-1, 0, size+largePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return region{}, err
	}
	r := region{bytes: alignTo(mapped, largePage)[:size:size], mapped: mapped}
	if size >= largeRegion {
		r.useLargePages()
	}
	return r, nil
}

// discard gives the memory from one offset to another, both multiples of
// largePage, back to the machine. It reads as zeros afterwards.
func (r *region) discard(from, to int) {
	_ = unix.Madvise(r.bytes[from:to], unix.MADV_DONTNEED) // without it the memory stays until free
}

func (r *region) free() {
	if r.mapped != nil {
		_ = unix.Munmap(r.mapped) // it can only fail for what is not mapped
	}
	*r = region{}
}
