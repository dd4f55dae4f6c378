package line

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter/internal/trailer"
)

// FuzzMayContain compares the kernels with the formula, on lines that the
// trailer describes and on lines as they come, of which all but a few contradict it.
func FuzzMayContain(f *testing.F) {
	f.Add(bytes.Repeat([]byte{0xff}, 3*Size), uint64(3), uint8(8), uint8(2), uint64(1<<63))
	f.Add(make([]byte, Size), uint64(1), uint8(16), uint8(4), uint64(1<<64-1))
	f.Add([]byte(nil), uint64(0), uint8(0), uint8(0), uint64(0))
	f.Add([]byte(nil), uint64(1<<58), uint8(1), uint8(1), uint64(5))
	f.Add(make([]byte, Size), uint64(1<<58+1), uint8(1), uint8(1), uint64(5))
	f.Fuzz(func(t *testing.T, lines []byte, n uint64, k, choices uint8, h uint64) {
		b := block(lines, int(k), int(choices))
		binary.LittleEndian.PutUint64(b[len(lines)+16:], n)
		if body, v, _ := trailer.Split(b); !describes(v, body) {
			require.True(t, MayContain(b, h))
		}
		if len(lines) < Size {
			return
		}
		lines = lines[:len(lines)/Size*Size]
		probes, groups := 1+int(k)%MaxProbes, 1+int(choices)%MaxChoices
		want := reference(lines, h, probes, groups)
		for name, contains := range kernels {
			require.Equal(t, want, contains(block(lines, probes, groups), h), name)
		}
	})
}

// FuzzAdd compares the kernels that set probes, and asks for all hashes.
func FuzzAdd(f *testing.F) {
	f.Add([]byte("hashes of eight bytes each, and a rest"), uint8(2), uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, n, k uint8) {
		var hashes []uint64
		for ; len(data) >= 8; data = data[8:] {
			hashes = append(hashes, binary.LittleEndian.Uint64(data))
		}
		if len(hashes) == 0 {
			return
		}
		count, probes := 1+int(n), 1+int(k)%MaxProbes
		want := make([]byte, count*Size)
		addGeneric(want, hashes, probes)
		for name, add := range adders {
			got := make([]byte, count*Size)
			add(got, hashes, probes)
			require.Equal(t, want, got, name)
		}
		for _, h := range hashes {
			require.True(t, MayContain(block(want, probes, 1), h))
		}
	})
}
