package report

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestLoadNoteFitsATerminal(t *testing.T) {
	require.Empty(t, Head{Others: busy / 2}.loadNote())
	note := Head{Others: 1}.loadNote()
	require.Contains(t, note, "100 %")
	require.LessOrEqual(t, utf8.RuneCountInString(note), width)
}
