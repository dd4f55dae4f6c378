package blockfilter_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/blockfilter/internal/filtertest"
	"github.com/gravelkv/gravel/compress"
)

// golden has a block of each family, built from keys rather than hashes. The
// families have golden blocks of all their options.
var golden = map[string]string{
	"bloom":      "bloom:10",
	"bloom-flat": "bloom:10,layout=flat",
	"twochoice":  "twochoice:10",
	"ribbon":     "ribbon:7",
	"dense":      "dense:10",
	"compressed": "compressed:8",
}

// TestGolden pins what is written for keys, and what the blocks of then answer
// now, whatever kernel or byte order this machine has.
func TestGolden(t *testing.T) {
	for name, text := range golden {
		t.Run(name, func(t *testing.T) {
			key := keyKinds["decimal"]
			block := buildSeeded(policy(t, text), key, 300, filtertest.Seed)
			filtertest.Golden(t, name+".block", block)
			filtertest.Golden(t, name+".archive", blockfilter.Archive(nil, block, compress.Arithmetic))

			written, err := os.ReadFile(filepath.Join("testdata", name+".block"))
			require.NoError(t, err)
			answers := make([]byte, 1000)
			for i := range answers {
				answers[i] = 'n'
				if blockfilter.MayContain(written, key(uint64(i))) {
					answers[i] = 'y'
				}
			}
			filtertest.Golden(t, name+".answers", append(answers, '\n'))
		})
	}
}

// TestLaterVersions: blocks that a later version of this package wrote contain
// everything, as far as this one knows.
func TestLaterVersions(t *testing.T) {
	for _, f := range families {
		block := build(f, key(1))
		for version := range 256 {
			later := bytes.Clone(block)
			if later[len(later)-3] = byte(version); bytes.Equal(later, block) {
				continue
			}
			for i := range 100 {
				require.True(t, blockfilter.MayContain(later, key(i)), "version %d", version)
			}
			_, err := blockfilter.Describe(later)
			require.ErrorIs(t, err, blockfilter.ErrNotFilterBlock)
		}
	}
}
