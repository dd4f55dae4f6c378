//go:build unix && !linux

package resident

func (r *region) useLargePages() {}
