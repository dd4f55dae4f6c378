//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris)

package ondisk

// lockShared does nothing: here the lock of an open store keeps the file itself
// from being opened.
func lockShared(uintptr) error { return nil }
