package micro

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gravelkv/gravel/blockfilter"
	"github.com/gravelkv/gravel/compress"
)

// CodecPolicies are filters of each kind: plain, with a choice of groups, and
// sparse ones as Mitzenmacher compresses (14 bits with 2 probes, 92 with one);
// then those that are stored near their entropy.
const CodecPolicies = "bloom:8,layout=flat twochoice:8,layout=flat bloom:14,layout=flat,k=2 bloom:92,layout=flat,k=1 compressed:8 ribbon:8"

// CodecRow is one policy's block and its archives, in bits per key.
type CodecRow struct {
	Policy     string  `json:"policy"`
	BitsPerKey float64 `json:"bits_per_key"`
	// Entropy is that of the block's bits, given how many of them are set.
	Entropy float64        `json:"entropy"`
	Codecs  []CodecArchive `json:"codecs"`
}

// CodecArchive is what a codec makes of a block. Speeds are in bytes of the
// block per second, the best of the rounds: whatever disturbs only slows.
type CodecArchive struct {
	Codec      string  `json:"codec"`
	BitsPerKey float64 `json:"bits_per_key"`
	EncodePerS float64 `json:"encode_bytes_per_s"`
	DecodePerS float64 `json:"decode_bytes_per_s"`
}

// codecRounds is how often each archive is made and restored.
const codecRounds = 5

// Codecs packs the filters of all policies that write any by every whole-array
// codec and restores them. Interrupted, it returns the policies that are done.
func (b *Bench) Codecs(ctx context.Context, keys, keySize int) ([]CodecRow, error) {
	filters := b.NewFilters(keys, keySize)
	rows := []CodecRow{}
	for i, p := range b.Policies {
		if !writes(p) {
			continue
		}
		row := CodecRow{
			Policy:     p.Text,
			BitsPerKey: 8 * float64(len(filters.blocks[i])) / float64(keys),
			Entropy:    compress.ArrayEntropy(filters.blocks[i]) / float64(keys),
		}
		for _, c := range compress.Codecs() {
			if err := ctx.Err(); err != nil {
				return rows, err
			}
			archive, err := newCodecArchive(c, filters.blocks[i], keys)
			if err != nil {
				return rows, fmt.Errorf("%s, %s: %w", p.Text, c.Name(), err)
			}
			row.Codecs = append(row.Codecs, archive)
		}
		rows = append(rows, row)
		b.Progress(1)
	}
	return rows, nil
}

func newCodecArchive(c compress.Codec, block []byte, keys int) (CodecArchive, error) {
	var archive, restored []byte
	encode, decode := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range codecRounds {
		begin := time.Now()
		archive = blockfilter.Archive(archive[:0], block, c)
		encode = min(encode, time.Since(begin))

		begin = time.Now()
		var err error
		restored, err = blockfilter.Restore(restored[:0], archive, len(block))
		if err != nil {
			return CodecArchive{}, err
		}
		decode = min(decode, time.Since(begin))
	}
	return CodecArchive{
		Codec:      c.Name(),
		BitsPerKey: 8 * float64(len(archive)) / float64(keys),
		EncodePerS: float64(len(block)) / encode.Seconds(),
		DecodePerS: float64(len(block)) / decode.Seconds(),
	}, nil
}
