//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// asCommand in the environment makes the test binary benchdb itself.
const asCommand = "BENCHDB_TEST_COMMAND"

// inMemory is a file system that waits for no disk, as most of the time of these
// tests was. They count what is read, wherever it is.
const inMemory = "/dev/shm"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	usage, err := vfs.Default.GetDiskUsage(inMemory)
	if err == nil && usage.AvailBytes > 1<<30 && os.Getenv("TMPDIR") == "" {
		_ = os.Setenv("TMPDIR", inMemory) // the name is right
	}
	os.Exit(m.Run())
}

// Whatever ends a process that can be caught, nothing temporary stays behind.
func TestSignalsCleanUp(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, p *os.Process, stdout io.Closer){
		"hangup": func(t *testing.T, p *os.Process, _ io.Closer) { require.NoError(t, p.Signal(syscall.SIGHUP)) },
		"broken pipe": func(t *testing.T, _ *os.Process, stdout io.Closer) {
			require.NoError(t, stdout.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			temporary := t.TempDir()
			cmd := exec.Command(os.Args[0], "run", "--records", "20000", "--operations", "20000", "--policies", "none", "--out", "")
			cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+temporary)
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			_, err = bufio.NewReader(stdout).ReadString('\n')
			require.NoError(t, err)
			end(t, cmd.Process, stdout)
			_, _ = io.Copy(io.Discard, stdout) // nothing of a pipe that was closed
			var exit *exec.ExitError
			require.ErrorAs(t, cmd.Wait(), &exit)
			require.Equal(t, exitFailure, exit.ExitCode(), "not ended by the signal itself")
			left, err := os.ReadDir(temporary)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}
