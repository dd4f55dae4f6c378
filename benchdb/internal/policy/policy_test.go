package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"none": "none", "bloom:10": "bloom:10", "pebble-bloom:10": "pebble-bloom:10",
		"L0-L5=bloom:10;L6=none": "L0-L5=bloom:10;L6=none",
	} {
		p, err := Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, p.Text)
		require.Equal(t, text != "none", p.Filters(), text)
	}
}

func TestParsePlansWithPebblesOwn(t *testing.T) {
	p, err := Parse("L0-L4=pebble-bloom:12;L5=pebble-bloom:9;L6=dense:8;index=8")
	require.NoError(t, err)
	require.Equal(t, "L0-L4=pebble-bloom:12;L5=pebble-bloom:9;L6=dense:8;index=8", p.Text)
	require.Equal(t, 8, p.Plan.Index)
	var levels []string
	for _, level := range p.Plan.Levels[3:] {
		levels = append(levels, Text(level))
	}
	require.Equal(t, []string{"pebble-bloom:12", "pebble-bloom:12", "pebble-bloom:9", "dense:8"}, levels)
	require.Equal(t, "none", Text(nil))
}

func TestParseNamesWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"blom:10":          "blom",
		"pebble-bloom":     "pebble-bloom:10",
		"pebble-bloom10":   "pebble-bloom:10",
		"pebble-bloom:9.5": "whole",
		"pebble-bloom:0":   "from 1 to 100",
		"L0=bloom:10":      "L1",
		"L0=pebble-bloom:10;L0-L6=pebble-bloom:8": "two policies",
		"pebble-bloom:10,k=2":                     "whole",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestList(t *testing.T) {
	var l List
	require.NoError(t, l.Set("none bloom:10"))
	l.given = false // as a default
	require.NoError(t, l.Set("bloom:8"))
	require.NoError(t, l.Set(" bloom:9 none "))
	require.Equal(t, "bloom:8 bloom:9 none", l.String())
	require.Error(t, l.Set("bloom:8 blom:9"))
	require.Error(t, l.Set(" "))
	require.Equal(t, "bloom:8 bloom:9 none", l.String())
}
