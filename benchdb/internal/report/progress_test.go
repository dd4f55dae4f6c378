package report

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgressNeedsATerminal(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out)
	p.Start("loading", 10)
	p.Add(10)
	p.Close()
	require.Empty(t, out.String())
}
