package store

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/stretchr/testify/require"
)

const tableFilter = pebble.TableFilter

func key(i int) []byte { return fmt.Appendf(nil, "key-%d", i) }

func build(p pebble.FilterPolicy, first, last int) []byte {
	w := p.NewWriter(tableFilter)
	for i := first; i < last; i++ {
		w.AddKey(key(i))
	}
	return w.Finish([]byte("kept"))[len("kept"):]
}

func TestRecorderWritesThePolicysBlock(t *testing.T) {
	truth := NewTruth()
	policy := bloom.FilterPolicy(10)
	require.Equal(t, build(policy, 0, 5000), build(truth.Record(policy, 6), 0, 5000))
	require.EqualValues(t, 1, truth.Built().Blocks)
	require.EqualValues(t, 5000, truth.Built().Keys)
	require.Positive(t, truth.Built().Time)
	require.Equal(t, policy.Name(), truth.Record(policy, 6).Name())
}

func TestAnswersAgainstTruth(t *testing.T) {
	truth := NewTruth()
	policy := bloom.FilterPolicy(4) // 15 % of absent keys pass
	upper, lower := build(truth.Record(policy, 0), 0, 1000), build(truth.Record(policy, 6), 1000, 9000)
	counter := truth.Counter()
	counted := counter.Count(policy)
	require.Equal(t, policy.Name(), counted.Name())

	positives := 0
	for i := range 2000 {
		require.Equal(t, policy.MayContain(tableFilter, upper, key(i)), counted.MayContain(tableFilter, upper, key(i)))
		if i >= 1000 && policy.MayContain(tableFilter, upper, key(i)) {
			positives++
		}
	}
	for range 2 { // a lookup that passes may ask again
		counted.MayContain(tableFilter, lower, key(5000))
	}

	counts := counter.Answers()
	require.EqualValues(t, 1000, counts[0].TruePositives)
	require.EqualValues(t, positives, counts[0].FalsePositives)
	require.EqualValues(t, 1000-positives, counts[0].TrueNegatives)
	require.Positive(t, positives)
	require.Equal(t, Answers{TruePositives: 1}, counts[6])
	require.EqualValues(t, 2001, counts.Total().Number())
	rate, ok := counts.Total().FalsePositiveRate()
	require.True(t, ok)
	require.InDelta(t, float64(positives)/1000, rate, 1e-12)

	counter.Reset()
	require.Equal(t, AnswersByLevel{}, counter.Answers())
	_, ok = counter.Answers().Total().FalsePositiveRate()
	require.False(t, ok)
}

// liar loses every key.
type liar struct{ pebble.FilterPolicy }

func (liar) MayContain(pebble.FilterType, []byte, []byte) bool { return false }

func TestLostKeysAndUnknownBlocks(t *testing.T) {
	truth := NewTruth()
	policy := bloom.FilterPolicy(10)
	known, unknown := build(truth.Record(policy, 3), 0, 10), build(policy, 10, 20)
	counter := truth.Counter()
	lying := counter.Count(liar{policy})
	lying.MayContain(tableFilter, known, key(3))
	lying.MayContain(tableFilter, known, key(30))
	lying.MayContain(tableFilter, unknown, key(3))
	require.Equal(t, Answers{FalseNegatives: 1, TrueNegatives: 1, Unknown: 1}, counter.Answers().Total())
}
