package resident

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"

	"github.com/gravelkv/gravel/filterpolicy"
)

// savedFile returns a file of saved filters and what is in it, the same in
// every process, as fuzzing wants it.
func savedFile(t testing.TB) (file []byte, heads []head, blocks map[identity][]byte) {
	policy := filterpolicy.Bloom(10)
	blocks = map[identity][]byte{}
	var entries []savedEntry
	for i := range 5 {
		block := bytes.Repeat([]byte{byte(i)}, 96*(i+1))
		h := head{id: identify(policy.Name(), block), policy: policy, size: len(block) + 7*i} // the whole one
		heads, blocks[h.id] = append(heads, h), block
		entries = append(entries, savedEntry{
			ID: h.id, Policy: xxh3.HashString(policy.Name()), Size: uint64(h.size), Tag: tableTag{byte(i)},
		})
	}
	entries = append(entries, savedEntry{Tag: tableTag{99}}, savedEntry{ID: identity{1}, Size: 100, Tag: tableTag{98}})
	var out overwriting
	require.NoError(t, writeSaved(&out, entries, func(i int) []byte { return blocks[entries[i].ID] }))
	return out.Bytes(), heads, blocks
}

// overwriting is a buffer that, as a vfs.File may, overwrites what it is given.
// Lookups may still read the blocks.
type overwriting struct{ bytes.Buffer }

func (w *overwriting) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	clear(p)
	return n, err
}

// openBytes opens a file of those bytes.
func openBytes(t testing.TB, file []byte) (*savedFilters, error) {
	fs := vfs.NewMem()
	f, err := fs.Create("saved", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.Write(bytes.Clone(file)) // a vfs.File may overwrite it
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return openSaved(fs, "saved")
}

// readAll opens a file of those bytes and checks that whatever it has of the
// heads is right. It returns how many it has.
func readAll(t testing.TB, file []byte, heads []head, blocks map[identity][]byte) (n int) {
	saved, err := openBytes(t, file)
	if err != nil {
		return 0
	}
	policies := map[string]pebble.FilterPolicy{heads[0].policy.Name(): heads[0].policy}
	for i, h := range heads {
		if known, ok := saved.head(tableTag{byte(i)}, policies); ok && i > 0 {
			require.Equal(t, h, known)
		}
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
	require.Equal(t, uint64(0x69b455aa6492db08), xxh3.Hash(file), "files that were saved before are read")
	require.Equal(t, len(heads), readAll(t, file, heads, blocks))
	var none bytes.Buffer
	require.NoError(t, writeSaved(&none, nil, nil))
	require.Zero(t, readAll(t, none.Bytes(), heads, blocks))
}

// TestSavedHeads reads entries without blocks.
func TestSavedHeads(t *testing.T) {
	_, heads, _ := savedFile(t)
	policy := heads[0].policy
	policies := map[string]pebble.FilterPolicy{policy.Name(): policy}
	var file bytes.Buffer
	require.NoError(t, writeSaved(&file, []savedEntry{
		{ID: identity{1}, Policy: xxh3.HashString(policy.Name()), Size: 100, Tag: tableTag{1}},
		{ID: identity{2}, Policy: 7, Size: 100, Tag: tableTag{2}},
		{Tag: tableTag{3}},
	}, func(int) []byte { return nil }))
	s, err := openBytes(t, file.Bytes())
	require.NoError(t, err)
	h, ok := s.head(tableTag{1}, policies)
	require.True(t, ok)
	require.Equal(t, head{id: identity{1}, policy: policy, size: 100}, h)
	block, err := s.read(h)
	require.NoError(t, err)
	require.Nil(t, block, "it was not in memory")
	_, ok = s.head(tableTag{2}, policies)
	require.False(t, ok, "its policy is not there any more")
	h, ok = s.head(tableTag{3}, policies)
	require.True(t, ok)
	require.Zero(t, h.size, "the table has no filter")
	_, ok = s.head(tableTag{}, policies)
	require.False(t, ok, "it is on local disk")
	require.NoError(t, s.file.Close())
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
