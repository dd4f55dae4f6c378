package refilter

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// crashes multiplies the number of points at which the tests below crash; 1
// makes about 350.
var crashes = flag.Int("crashes", 1, "crash points of the tests, in multiples of about 350")

const crashPlan = "L0-L5=bloom:12;L6=ribbon:8"

// TestCrash loses, at random points, what was not synced, or keeps a
// random part of it, as a crash of the machine does. Every store that remains
// holds the same as before, and every eighth is refiltered to the end.
func TestCrash(t *testing.T) {
	plan := storetest.ParsePlan(t, crashPlan)
	points := 0
	for run := range 8 * *crashes {
		rng := rand.New(rand.NewPCG(uint64(run), 2))
		keys := storetest.KeySpaces()[[]string{"whole keys", "split keys"}[run%2]]
		fs := vfs.NewCrashableMem()
		s := newOldStore(t, fs, "db", keys, bloom.FilterPolicy(10), run%4 < 2, uint64(run))
		root, err := fs.OpenDir("")
		require.NoError(t, err)
		require.NoError(t, errors.Join(root.Sync(), root.Close()))

		var mu sync.Mutex
		var clones []*vfs.MemFS
		crashing := errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && rng.IntN(3) == 0 && len(clones) < 40 {
				clones = append(clones, fs.CrashClone(vfs.CrashCloneCfg{
					UnsyncedDataPercent: []int{0, 30, 100}[rng.IntN(3)], RNG: rng,
				}))
			}
			return nil
		}))
		opts := s.opts.Clone()
		opts.FS = crashing
		refilter := Run
		if run%3 > 0 {
			refilter = runInSteps
		}
		_, err = refilter(t.Context(), "db", opts, plan, Settings{})
		require.NoError(t, err)
		s.checkFiltered(t, fs, "db", plan)
		points += len(clones)
		for i, clone := range clones {
			s.check(t, clone, "db", plan)
			if i%8 == 0 {
				s.resume(t, clone, "db", plan)
			}
		}
	}
	t.Logf("%d crash points", points)
	require.Greater(t, points, 200**crashes)
}

// resume refilters a store to the end and checks it.
func (s *oldStore) resume(t testing.TB, fs vfs.FS, dir string, plan pebbleext.Plan) {
	opts := s.opts.Clone()
	opts.FS = fs
	_, err := Run(t.Context(), dir, opts, plan, Settings{})
	require.NoError(t, err)
	s.checkFiltered(t, fs, dir, plan)
}

// TestDiskErrors lets writes of tables fail as they do on a full disk,
// once or from some point on.
func TestDiskErrors(t *testing.T) {
	plan := storetest.ParsePlan(t, crashPlan)
	failed := 0
	for run := range 20 * *crashes {
		rng := rand.New(rand.NewPCG(uint64(run), 3))
		fs := vfs.NewMem()
		s := newOldStore(t, fs, "db", storetest.KeySpaces()["whole keys"], nil, run%2 == 0, uint64(run))
		var writes atomic.Int64
		at := 1 + rng.Int64N(30)
		full := rng.IntN(2) == 0
		opts := s.opts.Clone()
		opts.FS = errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if !strings.HasSuffix(op.Path, ".sst") || op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
				return nil
			}
			switch op.Kind {
			case errorfs.OpRemove, errorfs.OpFileClose:
				return nil
			}
			if n := writes.Add(1); n == at || full && n > at {
				return syscall.ENOSPC
			}
			return nil
		}))
		_, err := runInSteps(t.Context(), "db", opts, plan, Settings{})
		if err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			failed++
		}
		s.check(t, fs, "db", plan)
		s.resume(t, fs, "db", plan)
	}
	require.Greater(t, failed, 10**crashes, "most points are reached")
}

// The environment of a test process that is to die while it refilters.
const (
	victimDir   = "GRAVEL_REFILTER_DIR"
	victimDeath = "GRAVEL_REFILTER_DEATH" // number of the write to die at
	victimFull  = "GRAVEL_REFILTER_FULL"  // is the disk full from then on instead
)

// openPanic is in the trace of the panic that gate is for. There are others: a
// full disk while Pebble 2.1.7 ends a blob file is one, which harms no store.
const openPanic = "fileCacheHandle"

// TestKilled kills processes that refilter one store after another, at
// random writes, until they have come to the end, or lets their disk fill up,
// which also fails writes of the MANIFEST and the WAL. What is killed is a
// process of this test binary that runs TestVictim.
func TestKilled(t *testing.T) {
	plan := storetest.ParsePlan(t, crashPlan)
	deaths := 0
	for run := 0; deaths < 60**crashes; run++ {
		rng := rand.New(rand.NewPCG(uint64(run), 4))
		dir := filepath.Join(memoryDir(t), "db")
		s := newOldStore(t, vfs.Default, dir, storetest.KeySpaces()["whole keys"], nil, run%2 == 0, uint64(run))
		for done := false; !done; {
			full := rng.IntN(4) == 0
			cmd := exec.Command(os.Args[0], "-test.run=^TestVictim$")
			cmd.Env = append(os.Environ(), victimDir+"="+dir,
				victimDeath+"="+strconv.Itoa(1+rng.IntN(120)),
				victimFull+"="+strconv.FormatBool(full))
			output, err := cmd.CombinedOutput()
			done = err == nil
			if !done {
				var exit *exec.ExitError
				require.ErrorAs(t, err, &exit)
				status := exit.Sys().(syscall.WaitStatus)
				killed := status.Signaled() && status.Signal() == syscall.SIGKILL
				require.True(t, killed || full, "%s", output)
				require.NotContains(t, string(output), openPanic)
				deaths++
			}
			copied := vfs.NewMem() // a check may not help
			require.NoError(t, cloneDir(copied, dir))
			s.check(t, copied, dir, plan)
		}
		s.checkFiltered(t, vfs.Default, dir, plan)
	}
	t.Logf("%d deaths", deaths)
}

// memoryDir returns a directory in memory where there is one: a killed process
// loses nothing that it wrote, so waiting for a disk would prove nothing.
func memoryDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "refilter")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func cloneDir(to vfs.FS, dir string) error {
	if err := to.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	ok, err := vfs.Clone(vfs.Default, to, dir, dir)
	if !ok {
		return errors.Join(err, os.ErrNotExist)
	}
	return err
}

// TestVictim is the process that TestKilled starts.
func TestVictim(t *testing.T) {
	dir := os.Getenv(victimDir)
	if dir == "" {
		t.Skip("only as a process of TestKilled")
	}
	death, err := strconv.ParseInt(os.Getenv(victimDeath), 10, 64)
	require.NoError(t, err)
	var writes atomic.Int64
	fs := errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || writes.Add(1) < death {
			return nil
		}
		if os.Getenv(victimFull) == "true" {
			if op.Kind == errorfs.OpRemove || op.Kind == errorfs.OpFileClose {
				return nil
			}
			return syscall.ENOSPC
		}
		self, err := os.FindProcess(os.Getpid())
		return errors.Join(err, self.Kill(), errors.New("killed"))
	}))
	opts := oldOptions(fs, storetest.KeySpaces()["whole keys"], nil)
	opts.Logger = dyingLogger{}
	report, err := runInSteps(t.Context(), dir, opts, storetest.ParsePlan(t, crashPlan), Settings{})
	require.NoError(t, err, "%+v", report)
}

// dyingLogger ends the process as Pebble's own does when a MANIFEST cannot be
// written.
type dyingLogger struct{ storetest.QuietLogger }

func (dyingLogger) Fatalf(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	os.Exit(1)
}
