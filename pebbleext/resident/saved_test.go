package resident

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
)

// savedFile returns a file of saved filters and what is in it.
func savedFile(t testing.TB) (file []byte, heads []head, blocks map[identity][]byte) {
	policy := filterpolicy.Bloom(10)
	blocks = map[identity][]byte{}
	var ids []identity
	for i := range 5 {
		w := policy.NewWriter(pebble.TableFilter)
		for j := range 10 * i {
			w.AddKey([]byte{byte(i), byte(j)})
		}
		block := w.Finish(nil)
		h := head{id: identify(policy.Name(), block), policy: policy, size: len(block)}
		heads, ids, blocks[h.id] = append(heads, h), append(ids, h.id), block
	}
	var out bytes.Buffer
	require.NoError(t, writeSaved(&out, ids, func(i int) []byte { return blocks[ids[i]] }))
	return out.Bytes(), heads, blocks
}

// readAll opens a file of those bytes and checks that whatever it has of the
// heads is right. It returns how many it has.
func readAll(t testing.TB, file []byte, heads []head, blocks map[identity][]byte) (n int) {
	fs := vfs.NewMem()
	f, err := fs.Create("saved", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.Write(file)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	saved, err := openSaved(fs, "saved")
	if err != nil {
		return 0
	}
	for _, h := range heads {
		if block, err := saved.read(h); err == nil && block != nil {
			require.Equal(t, blocks[h.id], block)
			n++
		}
	}
	require.NoError(t, saved.file.Close())
	return n
}

func TestSavedRoundTrip(t *testing.T) {
	file, heads, blocks := savedFile(t)
	require.Equal(t, len(heads), readAll(t, file, heads, blocks))
	var none bytes.Buffer
	require.NoError(t, writeSaved(&none, nil, nil))
	require.Zero(t, readAll(t, none.Bytes(), heads, blocks))
}

// TestSavedDamaged cuts a file everywhere, and alters each of its bytes.
func TestSavedDamaged(t *testing.T) {
	file, heads, blocks := savedFile(t)
	for n := range file {
		require.Zero(t, readAll(t, file[:n], heads, blocks), "cut at %d", n)
	}
	rng := rand.New(rand.NewPCG(1, 0))
	for i := range file {
		altered := bytes.Clone(file)
		altered[i] ^= byte(1 + rng.IntN(255))
		require.Less(t, readAll(t, altered, heads, blocks), len(heads), "byte %d altered", i)
	}
}

func FuzzSaved(f *testing.F) {
	file, heads, blocks := savedFile(f)
	f.Add(file)
	f.Add(file[40:])
	f.Fuzz(func(t *testing.T, file []byte) { readAll(t, file, heads, blocks) })
}
