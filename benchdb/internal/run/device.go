package run

import (
	"bytes"
	"os"
	"strconv"
)

// deviceMeter sums the bytes that this process made its storage devices read,
// as Linux counts them. Elsewhere it knows nothing.
type deviceMeter struct {
	begin, sum int64
	unknown    bool
}

func (m *deviceMeter) start() {
	var ok bool
	if m.begin, ok = deviceReadBytes(); !ok {
		m.unknown = true
	}
}

func (m *deviceMeter) stop() {
	if end, ok := deviceReadBytes(); ok {
		m.sum += end - m.begin
	}
}

func (m *deviceMeter) bytes() *int64 {
	if m.unknown {
		return nil
	}
	sum := m.sum
	return &sum
}

// source names what served reads of that many bytes. Up to 1 % of them may come
// from a device and still count as the page cache's: this process reads other
// things as well.
func (m *deviceMeter) source(direct bool, bytes int64) string {
	switch {
	case direct:
		return Device
	case m.sum > bytes/100:
		return Both
	}
	return PageCache
}

// deviceReadBytes reads the field read_bytes of /proc/self/io.
func deviceReadBytes() (int64, bool) {
	status, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(status) {
		if digits, ok := bytes.CutPrefix(line, []byte("read_bytes: ")); ok {
			n, err := strconv.ParseInt(string(bytes.TrimSpace(digits)), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
