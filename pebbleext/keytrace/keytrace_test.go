package keytrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const path = "keys.trace"

func create(t *testing.T, s Settings) *Recorder {
	t.Helper()
	r, err := Create(path, s)
	require.NoError(t, err)
	return r
}

func content(t *testing.T, fs vfs.FS) []byte {
	t.Helper()
	file, err := fs.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	all, err := io.ReadAll(file)
	require.NoError(t, err)
	return all
}

func read(content []byte) (keys []string, err error) {
	for key, err := range Keys(bytes.NewReader(content)) {
		if err != nil {
			return keys, err
		}
		keys = append(keys, string(key))
	}
	return keys, nil
}

// TestKeysComeBack records keys of any bytes and lengths, all in their order.
func TestKeysComeBack(t *testing.T) {
	mem := vfs.NewMem()
	r := create(t, Settings{OneIn: 1, FS: mem})
	want := []string{"\n", "\x00", "a\r\nb", string(make([]byte, 1<<16)), "last"}
	for _, key := range want {
		bytes := []byte(key)
		r.Add(bytes)
		bytes[0]++ // it is the caller's
	}
	r.Add(nil) // no store has it
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())
	r.Add([]byte("late"))
	all := content(t, mem)
	got, err := read(all)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, Stats{Recorded: int64(len(want)), Bytes: int64(len(all))}, r.Stats())
}

// TestSize: the file is as large as it may be, but for one key.
func TestSize(t *testing.T) {
	for _, limit := range []int64{1, int64(len(Magic)) + chunkHead + 9, 1000, 3 * maxChunk} {
		mem := vfs.NewMem()
		r := create(t, Settings{OneIn: 1, MaxBytes: limit, FS: mem})
		for n := 0; !r.ended.Load(); n++ {
			r.Add(fmt.Appendf(nil, "%08d", n))
		}
		require.NoError(t, r.Close())
		all := content(t, mem)
		require.EqualValues(t, len(all), r.Stats().Bytes)
		require.LessOrEqual(t, int64(len(all)), max(limit, int64(len(Magic))))
		require.GreaterOrEqual(t, int64(len(all)), limit-chunkHead-9)
		keys, err := read(all)
		require.NoError(t, err)
		require.Len(t, keys, int(r.Stats().Recorded))
	}
}

// TestConcurrent: each key is in the file or dropped.
func TestConcurrent(t *testing.T) {
	const threads, each = 8, 20_000
	mem := vfs.NewMem()
	r := create(t, Settings{OneIn: 1, FS: mem})
	var all sync.WaitGroup
	for thread := range threads {
		all.Go(func() {
			for n := range each {
				r.Add(fmt.Appendf(nil, "%d/%d", thread, n))
			}
		})
	}
	all.Wait()
	require.NoError(t, r.Close())
	keys, err := read(content(t, mem))
	require.NoError(t, err)
	require.EqualValues(t, threads*each-len(keys), r.Stats().Dropped)
	seen := map[string]bool{}
	for _, key := range keys {
		require.False(t, seen[key], key)
		seen[key] = true
	}
}

// TestClosedWhileAdding: what Stats say is what is in the file, whenever it is
// closed.
func TestClosedWhileAdding(t *testing.T) {
	for range 1000 {
		mem := vfs.NewMem()
		r := create(t, Settings{OneIn: 1, FS: mem})
		var adding sync.WaitGroup
		r.mu.Lock() // all wait for it, and one is the first
		for range 4 {
			adding.Go(func() { r.Add([]byte("key")) })
		}
		runtime.Gosched()
		adding.Go(func() { assert.NoError(t, r.Close()) })
		runtime.Gosched()
		r.mu.Unlock()
		adding.Wait()
		all := content(t, mem)
		keys, err := read(all)
		require.NoError(t, err)
		require.Equal(t, Stats{int64(len(keys)), r.Stats().Dropped, int64(len(all))}, r.Stats())
	}
}

// TestLongKeys: one that no chunk takes is dropped, without a copy of it.
func TestLongKeys(t *testing.T) {
	r := create(t, Settings{OneIn: 1, FS: vfs.NewMem()})
	key := make([]byte, maxChunk)
	require.Zero(t, testing.AllocsPerRun(10, func() { r.Add(key) }))
	require.NoError(t, r.Close())
	require.Zero(t, r.Stats().Recorded)
	require.Positive(t, r.Stats().Dropped)
}

// TestReadErrors: an error of the disk is none of the file.
func TestReadErrors(t *testing.T) {
	for key, err := range Keys(iotest.ErrReader(fs.ErrPermission)) {
		require.Nil(t, key)
		require.ErrorIs(t, err, fs.ErrPermission)
		require.NotErrorIs(t, err, ErrDamaged)
	}
}

// TestShare draws a million lookups. The probability that the count is 6
// standard deviations away is below one in a hundred million.
func TestShare(t *testing.T) {
	const lookups, oneIn = 1_000_000, 50
	r := create(t, Settings{OneIn: oneIn, FS: vfs.NewMem()})
	for range lookups {
		r.Add([]byte("key"))
	}
	require.NoError(t, r.Close())
	const p = 1.0 / oneIn
	deviation := math.Sqrt(lookups * p * (1 - p))
	require.InDelta(t, lookups*p, float64(r.Stats().Recorded+r.Stats().Dropped), 6*deviation)
}

func TestNoFileIsLost(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, create(t, Settings{FS: mem}).Close())
	_, err := Create(path, Settings{FS: mem})
	require.ErrorIs(t, err, fs.ErrExist)
	_, err = Create("no/directory", Settings{FS: mem})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Create("new", Settings{FS: mem, MaxBytes: -1})
	require.ErrorContains(t, err, "negative")
}

// TestFileErrors: a write that fails ends the recording and no more.
func TestFileErrors(t *testing.T) {
	for failed := range int32(3) {
		writes := errorfs.ErrInjected.If(errorfs.And(errorfs.Writes, errorfs.OnIndex(failed+1))) // Create is the first
		r, err := Create(path, Settings{OneIn: 1, FS: errorfs.Wrap(vfs.NewMem(), writes)})
		require.NoError(t, err)
		for range 4 * flushBytes {
			r.Add([]byte("key"))
		}
		err = r.Close()
		r.Add([]byte("key"))
		if failed < 2 {
			require.ErrorContains(t, err, "injected")
		}
	}
}

// TestDamage cuts a trace and flips its bits everywhere.
func TestDamage(t *testing.T) {
	mem := vfs.NewMem()
	r := create(t, Settings{OneIn: 1, FS: mem})
	for n := range 20 {
		r.Add(fmt.Appendf(nil, "key %d", n))
	}
	require.NoError(t, r.Close())
	good := content(t, mem)
	for n := range good {
		_, err := read(good[:n])
		switch n {
		case len(Magic):
			require.NoError(t, err, "no chunk")
		default:
			require.True(t, errors.Is(err, ErrCut) == (n > len(Magic)), n)
			require.Error(t, err)
		}
		flipped := bytes.Clone(good)
		flipped[n] ^= 4
		_, err = read(flipped)
		require.Error(t, err, n)
	}
	_, err := read(append(bytes.Clone(good), make([]byte, 4096)...))
	require.ErrorIs(t, err, ErrDamaged, "zeros that a crash leaves")
	for key, err := range Keys(iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(good)))) {
		require.Nil(t, key)
		require.Error(t, err)
	}
}

const killedTrace = "GRAVEL_TEST_KILLED_TRACE"

// TestBeKilled does nothing by itself: TestKilled runs it in another process.
func TestBeKilled(t *testing.T) {
	file := os.Getenv(killedTrace)
	if file == "" {
		t.Skip("no trace to write")
	}
	r, err := Create(file, Settings{OneIn: 1})
	require.NoError(t, err)
	for n := range 1000 {
		r.Add(fmt.Appendf(nil, "%d", n))
	}
	for {
		info, err := os.Stat(file)
		require.NoError(t, err)
		if info.Size() == r.Stats().Bytes {
			break
		}
		time.Sleep(time.Millisecond)
	}
	fmt.Println("written")
	select {} // without Close
}

// TestKilled reads the trace of a process that was killed.
func TestKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), path)
	program := exec.Command(os.Args[0], "-test.run", "^TestBeKilled$")
	program.Env = append(os.Environ(), killedTrace+"="+file)
	stdout, err := program.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, program.Start())
	_, err = io.ReadAtLeast(stdout, make([]byte, 7), 7)
	require.NoError(t, program.Process.Kill())
	require.NoError(t, err)
	require.Error(t, program.Wait())
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	keys, err := read(content)
	require.NoError(t, err)
	require.Len(t, keys, 1000)
}

func FuzzKeys(f *testing.F) {
	f.Add([]byte(Magic))
	f.Add(appendChunk([]byte(Magic), appendKey(appendKey(nil, []byte("a")), []byte("bc"))))
	f.Add(appendChunk([]byte(Magic), []byte{5, 'a'}))
	f.Fuzz(func(t *testing.T, content []byte) {
		keys, err := read(content)
		if err != nil {
			return
		}
		size := 0
		for _, key := range keys {
			size += len(key)
		}
		require.LessOrEqual(t, size, len(content))
	})
}

// BenchmarkAdd is what a recorder adds to a lookup.
func BenchmarkAdd(b *testing.B) {
	for name, oneIn := range map[string]uint32{"none recorded": math.MaxUint32, "one in 100": 0, "all": 1} {
		b.Run(name, func(b *testing.B) {
			r, err := Create(path, Settings{OneIn: oneIn, MaxBytes: 1 << 40, FS: discarding{vfs.NewMem()}})
			require.NoError(b, err)
			key := []byte("user1234567890123456789")
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r.Add(key)
				}
			})
			b.ReportMetric(float64(r.Stats().Dropped)/float64(b.N), "dropped/op")
			require.NoError(b, r.Close())
		})
	}
}

// discarding is a file system whose files keep nothing.
type discarding struct{ vfs.FS }

func (d discarding) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := d.FS.Create(name, c)
	return discardingFile{file}, err
}

type discardingFile struct{ vfs.File }

func (discardingFile) Write(p []byte) (int, error) { return len(p), nil }
