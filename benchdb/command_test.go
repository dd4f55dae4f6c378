package main

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// outcome is what a command left behind.
type outcome struct {
	status         int
	stdout, stderr string
}

// command runs benchdb in this process, with temporary files in a directory of
// the test, and fails if any is left.
func command(t *testing.T, ctx context.Context, args ...string) outcome {
	t.Helper()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	var stdout, stderr bytes.Buffer
	status := execute(ctx, args, &stdout, &stderr)
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
	return outcome{status, stdout.String(), stderr.String()}
}
