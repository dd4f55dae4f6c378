package pointread

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSample estimates the filters of a store of many tables from a few reads,
// and reads none again.
func TestSample(t *testing.T) {
	heads := map[uint64]Head{}
	levels := make([][]Table, 7)
	add := func(level int, file uint64, h Head) {
		levels[level] = append(levels[level], Table{File: file, Size: 1 << 20})
		heads[file] = h
	}
	for file := range uint64(100) {
		add(6, file, Head{FilterShare: 0.01, Indexed: true, Named: true})
	}
	add(0, 200, Head{FilterShare: 0.02, Indexed: true})
	add(5, 201, Head{FilterShare: 0.05, Indexed: true})
	reads := 0
	s := Sampler{Read: func(t Table) (Head, error) {
		reads++
		if t.File == 7 {
			return Head{}, errors.New("gone")
		}
		return heads[t.File], nil
	}}
	got := s.Sample(levels, 8*mi, 3*mi)
	require.InDelta(t, 1.07*mi, got.All, 10)
	require.InDelta(t, 0.07*mi, got.Upper, 10)
	require.False(t, got.Lack || got.UpperLack)
	require.True(t, got.Index)
	require.EqualValues(t, 3*mi, got.Resident, "most tables name their filters")
	require.EqualValues(t, 8*mi, got.Cache)
	require.LessOrEqual(t, reads, sampled+3)

	reads = 0
	require.Equal(t, got, s.Sample(levels, 8*mi, 3*mi))
	require.LessOrEqual(t, reads, 1, "what could not be read is tried again")

	// A new table of L6 without a filter is noticed if it comes into the sample.
	for file := uint64(300); ; file++ {
		add(6, file, Head{Lacks: true})
		reads = 0
		if got = s.Sample(levels, 8*mi, 3*mi); got.Lack {
			break
		}
		require.Zero(t, reads)
		require.Less(t, file, uint64(1000))
	}
	require.False(t, got.UpperLack)

	require.Equal(t, Filters{Cache: mi, Resident: 1}, (&Sampler{}).Sample(make([][]Table, 7), mi, 1), "an empty store")
}

// TestSampleOfRemoteTables reads one a level: each read is a request.
func TestSampleOfRemoteTables(t *testing.T) {
	reads := 0
	s := Sampler{Read: func(Table) (Head, error) { reads++; return Head{FilterShare: 0.5}, nil }}
	levels := make([][]Table, 7)
	for file := range uint64(40) {
		level := 5 + file%2
		levels[level] = append(levels[level], Table{File: file, Size: 100, Remote: true})
	}
	f := s.Sample(levels, mi, mi)
	require.Equal(t, 2, reads)
	require.EqualValues(t, 2000, f.All)
	require.EqualValues(t, 1000, f.Upper)
	require.Zero(t, f.Resident, "no table names its filter")
}
