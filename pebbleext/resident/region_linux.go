package resident

import "golang.org/x/sys/unix"

// useLargePages lets the kernel back whole largePages by one entry of the
// page table each, where it is set to: a query at random in 4 KiB pages misses
// the processor's cache of that table as well.
func (r *region) useLargePages() {
	_ = unix.Madvise(r.bytes, unix.MADV_HUGEPAGE) // the kernel may have none
}
