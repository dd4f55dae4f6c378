package inspect

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/cockroachkvs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
	"github.com/gravelkv/gravel/pebbleext/levelplan"
	"github.com/gravelkv/gravel/pebbleext/refilter"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

const heldStore = "GRAVEL_TEST_HELD_STORE"

// TestMain opens a store and holds it until standard input ends, if the
// environment names one; so a test can have it open in another process.
func TestMain(m *testing.M) {
	dir := os.Getenv(heldStore)
	if dir == "" {
		os.Exit(m.Run())
	}
	db, err := pebble.Open(dir, &pebble.Options{Logger: storetest.QuietLogger{}, DisableAutomaticCompactions: true})
	if err == nil {
		db.TestOnlyWaitForCleaning() // of the log that Open replayed
	}
	fmt.Println("open", err)
	_, _ = os.Stdin.Read(make([]byte, 1))
}

// write makes a store with keys in L6 and above, and some in the log only.
func write(t *testing.T, opts *pebble.Options) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	opts.Logger = storetest.QuietLogger{}
	opts.LBaseMaxBytes = 1
	opts.FormatMajorVersion = pebble.FormatNewest
	opts.DisableAutomaticCompactions = true
	db, err := pebble.Open(dir, opts)
	require.NoError(t, err)
	key := func(i int) []byte { return fmt.Appendf(nil, "key-%06d", i) }
	if opts.Comparer == &cockroachkvs.Comparer {
		key = func(i int) []byte {
			return cockroachkvs.EncodeMVCCKey(nil, fmt.Appendf(nil, "key-%06d", i), 7, 0)
		}
	}
	const bottom, top = 40_000, 5_000
	for parity := range 2 { // two tables that overlap: one alone would move, with the filter it has
		for i := parity; i < bottom; i += 2 {
			require.NoError(t, db.Set(key(2*i), []byte("v"), pebble.NoSync))
		}
		require.NoError(t, db.Flush())
	}
	require.NoError(t, db.Compact(t.Context(), key(0), key(1e5), false))
	for i := range top {
		require.NoError(t, db.Set(key(1+16*i), []byte("v"), pebble.NoSync))
	}
	require.NoError(t, db.Flush())
	require.NoError(t, db.Set(key(1), []byte("in the log"), pebble.Sync))
	require.NoError(t, db.Close())
	return dir
}

func applied(t *testing.T, text string) *pebble.Options {
	t.Helper()
	plan, err := pebbleext.ParsePlan(text)
	require.NoError(t, err)
	opts := &pebble.Options{}
	pebbleext.Apply(opts, pebbleext.Options{Plan: plan})
	return opts
}

// traces are the names, sizes and times of all files.
func traces(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
		found[name] = fmt.Sprint(info.Size(), info.ModTime(), info.Mode())
		return err
	}))
	return found
}

// inspected returns the rows of a store, and fails if the store changes.
func inspected(t *testing.T, dir string) ([]Row, levelplan.Shape) {
	t.Helper()
	f, shape := inspectAll(t, dir)
	return f.Rows, shape
}

func inspectAll(t *testing.T, dir string) (Report, levelplan.Shape) {
	t.Helper()
	before := traces(t, dir)
	time.Sleep(10 * time.Millisecond) // a write now would show
	s, err := Open(dir)
	require.NoError(t, err)
	f, err := s.Report(t.Context())
	require.NoError(t, err)
	shape, err := s.Shape()
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Equal(t, before, traces(t, dir))
	return f, shape
}

func TestFilters(t *testing.T) {
	for text, families := range map[string][2]string{
		"bloom:10":                        {"bloom", "bloom"},
		"L0-L5=twochoice:12;L6=ribbon:8":  {"twochoice", "ribbon"},
		"L0-L5=dense:10;L6=dense:6":       {"dense", "dense"},
		"L0-L5=none;L6=compressed:9":      {None, "compressed"},
		"L0=ribbon:10.5;L1-L6=ribbon:6.5": {"ribbon", "ribbon"},
	} {
		t.Run(text, func(t *testing.T) {
			rows, shape := inspected(t, write(t, applied(t, text)))
			require.Len(t, rows, 2)
			for i, r := range rows {
				require.Equal(t, []int{0, 6}[i], r.Level)
				require.Equal(t, families[i], r.Family)
				require.Equal(t, []int64{5000, 40_000}[i], r.Keys)
				require.Equal(t, r.Keys, shape.Levels[i].Keys)
				if r.Family == None {
					require.Zero(t, r.Bytes)
					require.Nil(t, r.Measured)
					require.Nil(t, r.Expected)
					continue
				}
				// At least 260 positives, a standard deviation of 6 %; a filter
				// of 5000 keys itself varies less.
				require.InEpsilon(t, *r.Expected, *r.Measured, 0.35)
				require.Greater(t, r.Queries, int64(levelQueries))
				require.LessOrEqual(t, r.LargestBlock, r.Bytes)
			}
		})
	}
}

func TestFiltersOfPebble(t *testing.T) {
	opts := &pebble.Options{}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	rows, _ := inspected(t, write(t, opts))
	require.Len(t, rows, 2)
	for _, r := range rows {
		require.Equal(t, PebbleBloom, r.Family)
		require.Equal(t, r.Tables, r.Unnamed)
		require.InDelta(t, 10, r.BitsPerKey(), 0.2)
		require.InDelta(t, 0.0095, *r.Expected, 0.0005)
		require.InDelta(t, 0.0112, *r.Measured, 0.001)
	}
}

// TestNamedFilters: tables of Gravel's and of others' policies name their
// filters alike, and those without filters have nothing to name.
func TestNamedFilters(t *testing.T) {
	opts := applied(t, "L0=bloom:10;L1-L6=none")
	resident.NameFilters(opts)
	rows, _ := inspected(t, write(t, opts))
	require.Len(t, rows, 2)
	for i, family := range []string{"bloom", None} {
		require.Equal(t, family, rows[i].Family)
		require.Zero(t, rows[i].Unnamed)
	}
}

// TestIndexFilters inspects a store whose table filters are being replaced by
// index filters.
func TestIndexFilters(t *testing.T) {
	opts := applied(t, "bloom:10")
	opts.TargetFileSizes[0] = 4 << 10
	dir := write(t, opts)
	stored, err := refilter.StoredOptions(dir)
	require.NoError(t, err)
	stored.Logger = storetest.QuietLogger{}
	plan, err := pebbleext.ParsePlan("none;index=8")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	report, err := refilter.Run(ctx, dir, stored, plan, refilter.Settings{Progress: func(r refilter.Report) {
		if r.Done > 0 {
			stop()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, report.Done, report.Pending)

	f, _ := inspectAll(t, dir)
	var all [7]float64 // keys of each level
	tables, bloom := map[string]int{}, 0.0
	for _, r := range f.Rows {
		tables[r.Family] += r.Tables
		if r.Family == "bloom" {
			bloom += *r.Measured * float64(r.Keys)
		}
		all[r.Level] += float64(r.Keys)
	}
	indexed, keys := 0, 0.0
	for _, r := range f.Index {
		indexed += r.Tables
		keys += float64(r.Keys)
		require.Equal(t, 1.0, r.Coverage())
		require.InDelta(t, 1./256, r.Expected, 1e-12)
		// Where one table of many has index filters, few queries ask them: six
		// standard deviations of their positives, a probability below 1e-8.
		require.InEpsilon(t, r.Expected, r.Measured, 6/math.Sqrt(r.Expected*float64(r.Queries)))
		require.InDelta(t, 8.5, r.BitsPerKey(), 0.5)
	}
	require.Positive(t, indexed)
	require.Equal(t, tables[None], indexed, "tables with index filters have no others")
	require.Positive(t, tables["bloom"], "tables are left with what they had")

	var byGet, byReader float64
	for level, filters := range f.ByLevel() {
		byGet += filters.Rate * all[level]
		byReader += filters.Rate * filters.Index * all[level]
	}
	require.InEpsilon(t, bloom+keys/256, byReader, 0.1)
	require.InEpsilon(t, bloom+keys, byGet, 0.1, "Get asks no index filters")
}

// TestBlocksWithoutFilters has data blocks of more keys than a filter takes.
func TestBlocksWithoutFilters(t *testing.T) {
	opts := applied(t, "none;index=8")
	opts.Levels[0].BlockSize = 4 << 20
	f, _ := inspectAll(t, write(t, opts))
	require.Len(t, f.Index, 2)
	require.Equal(t, 1.0, f.Index[0].Coverage(), "5,000 keys")
	require.Zero(t, f.Index[1].Coverage(), "40,000 keys")
	require.Zero(t, f.Index[1].Measured)
	levels := f.ByLevel()
	require.Less(t, levels[0].Rate*levels[0].Index, 0.01)
	require.Equal(t, 1.0, levels[6].Rate*levels[6].Index)
}

func TestMovedTables(t *testing.T) {
	opts := applied(t, "L0-L5=bloom:12;L6=ribbon:8")
	dir := filepath.Join(t.TempDir(), "store")
	opts.Logger = storetest.QuietLogger{}
	db, err := pebble.Open(dir, opts)
	require.NoError(t, err)
	require.NoError(t, db.Set([]byte("key"), nil, nil))
	require.NoError(t, db.Compact(t.Context(), []byte("a"), []byte("z"), false))
	require.NoError(t, db.Close())
	rows, _ := inspected(t, dir)
	require.Len(t, rows, 1)
	require.Equal(t, 6, rows[0].Level)
	require.Equal(t, "bloom", rows[0].Family)
	require.Equal(t, 1, rows[0].Moved)
}

func TestOtherStores(t *testing.T) {
	t.Run("foreign filters", func(t *testing.T) {
		opts := &pebble.Options{}
		opts.Levels[0].FilterPolicy = foreign{filterpolicy.Bloom(10)}
		f, _ := inspectAll(t, write(t, opts))
		require.Equal(t, "someone else's", f.Rows[0].Family)
		require.Positive(t, f.Rows[0].Bytes)
		require.Nil(t, f.Rows[0].Measured)
		for level, filters := range f.ByLevel() {
			if level == 0 || level == 6 {
				require.Equal(t, levelplan.LevelFilters{Block: filters.Block, Rate: 1, Index: 1}, filters)
			} else {
				require.Zero(t, filters)
			}
		}
	})
	t.Run("unreadable filters", func(t *testing.T) {
		opts := &pebble.Options{}
		opts.Levels[0].FilterPolicy = garbled{filterpolicy.Bloom(10)}
		rows, _ := inspected(t, write(t, opts))
		require.Equal(t, Unreadable, rows[0].Family)
		require.InDelta(t, 1, *rows[0].Measured, 1e-12)
	})
	t.Run("cockroach", func(t *testing.T) {
		opts := applied(t, "bloom:10")
		opts.Comparer = &cockroachkvs.Comparer
		opts.KeySchema = cockroachkvs.KeySchema.Name
		opts.KeySchemas = map[string]*pebble.KeySchema{cockroachkvs.KeySchema.Name: &cockroachkvs.KeySchema}
		rows, _ := inspected(t, write(t, opts))
		require.Equal(t, int64(40_000), rows[1].Keys)
		require.InEpsilon(t, *rows[1].Expected, *rows[1].Measured, 0.1)
	})
	t.Run("merger", func(t *testing.T) {
		opts := applied(t, "bloom:10")
		opts.Merger = &pebble.Merger{Name: "mine", Merge: pebble.DefaultMerger.Merge}
		rows, _ := inspected(t, write(t, opts))
		require.Len(t, rows, 2)
	})
	t.Run("log elsewhere", func(t *testing.T) {
		opts := applied(t, "bloom:10")
		opts.WALDir = t.TempDir()
		rows, _ := inspected(t, write(t, opts))
		require.Len(t, rows, 2)
	})
	t.Run("checkpoint", func(t *testing.T) {
		db, err := pebble.Open(write(t, applied(t, "bloom:10")), &pebble.Options{Logger: storetest.QuietLogger{}, DisableAutomaticCompactions: true})
		require.NoError(t, err)
		dir := filepath.Join(t.TempDir(), "checkpoint")
		require.NoError(t, db.Checkpoint(dir))
		rows, _ := inspected(t, dir)
		require.Len(t, rows, 3) // opening flushed the log to a table of its own
		require.NoError(t, db.Close())
	})
}

type foreign struct{ pebble.FilterPolicy }

func (foreign) Name() string { return "someone else's" }

// garbled writes blocks that end wrongly.
type garbled struct{ pebble.FilterPolicy }

func (p garbled) NewWriter(t pebble.FilterType) pebble.FilterWriter {
	return garbledWriter{p.FilterPolicy.NewWriter(t)}
}

type garbledWriter struct{ pebble.FilterWriter }

func (w garbledWriter) Finish(dst []byte) []byte { return append(w.FilterWriter.Finish(dst), 0) }

func TestWrongDirectories(t *testing.T) {
	store := write(t, applied(t, "bloom:10"))
	parent := filepath.Dir(store)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))

	newer := write(t, applied(t, "none"))
	marker, err := filepath.Glob(filepath.Join(newer, "marker.format-version.*"))
	require.NoError(t, err)
	require.NoError(t, os.Rename(marker[0], marker[0][:len(marker[0])-3]+"999"))

	comparer := *pebble.DefaultComparer
	comparer.Name = "backwards"
	ordered := write(t, &pebble.Options{Comparer: &comparer})

	torn := write(t, applied(t, "none"))
	manifest, err := filepath.Glob(filepath.Join(torn, "MANIFEST-*"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(manifest[0], []byte("not a manifest at all"), 0o644))

	for dir, want := range map[string]struct {
		text string
		kind error
	}{
		filepath.Join(parent, "no"): {"no such file", pebbleext.ErrNotStore},
		file:                        {"no directory", pebbleext.ErrNotStore},
		t.TempDir():                 {"holds no Pebble store", pebbleext.ErrNotStore},
		parent:                      {"but " + store + " does", pebbleext.ErrNotStore},
		newer:                       {"format major version 999", nil},
		ordered:                     {`comparer "backwards" is unknown`, pebbleext.ErrUnknownComparer},
		torn:                        {"does not open as a Pebble store", nil},
	} {
		var before map[string]string
		if !strings.HasSuffix(dir, "no") {
			before = traces(t, dir)
		}
		_, err := Open(dir)
		require.ErrorContains(t, err, want.text)
		for _, kind := range []error{pebbleext.ErrNotStore, pebbleext.ErrUnknownComparer, pebbleext.ErrLocked} {
			require.Equal(t, kind == want.kind, errors.Is(err, kind), "%v", err)
		}
		require.NotContains(t, err.Error(), "\n")
		if before != nil {
			require.Equal(t, before, traces(t, dir))
		}
	}
}

// elsewhere opens a store in another process, and returns what comes of it and
// a function that closes the store.
func elsewhere(t *testing.T, dir string) (outcome string, end func()) {
	t.Helper()
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), heldStore+"="+dir)
	stdin, err := holder.StdinPipe()
	require.NoError(t, err)
	stdout, err := holder.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	outcome, err = bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return outcome, func() {
		require.NoError(t, stdin.Close())
		_ = holder.Wait()
	}
}

func TestOpenElsewhere(t *testing.T) {
	dir := write(t, applied(t, "bloom:10"))
	outcome, end := elsewhere(t, dir)
	require.Equal(t, "open <nil>\n", outcome)
	before := traces(t, dir)
	_, err := Open(dir)
	require.ErrorIs(t, err, pebbleext.ErrLocked)
	require.Equal(t, before, traces(t, dir))
	end()
	inspected(t, dir)
}

// TestKeepsLock tries to inspect a store that this process has open, or opens
// meanwhile. Its lock must still keep other processes out: POSIX drops a
// process's locks on a file when it closes any descriptor of the file.
func TestKeepsLock(t *testing.T) {
	for _, live := range []bool{true, false} {
		opts := applied(t, "bloom:10")
		dir := write(t, opts)
		open := func() *pebble.DB { return storetest.Open(t, dir, opts) }
		var db *pebble.DB
		if live {
			db = open()
		}
		s, err := Open(dir + "/../store") // by another path
		if live {
			require.ErrorIs(t, err, pebbleext.ErrLocked)
		} else {
			require.NoError(t, err)
			db = open()
			_, err = s.Report(t.Context())
			require.NoError(t, err)
			require.NoError(t, s.Close())
		}
		outcome, end := elsewhere(t, dir)
		require.Contains(t, outcome, "resource temporarily unavailable")
		end()
		require.NoError(t, db.Close())
	}
}

// TestFiltersForScans tells of prefix and range filters, level by level, and of
// none where there are index filters alone.
func TestFiltersForScans(t *testing.T) {
	for plan, want := range map[string][]string{
		"none;index=8":                        nil,
		"none;prefix=length:4;range=7":        {"prefix=length:4", "range=7"},
		"bloom:10;index=8;prefix=delimiter:/": {"prefix=delimiter:/"},
	} {
		f, _ := inspectAll(t, write(t, applied(t, plan)))
		tables := map[int]int{}
		for _, r := range f.Rows {
			tables[r.Level] += r.Tables
		}
		var rows []ScanRow
		for level := range 7 {
			for _, filters := range want {
				if tables[level] > 0 {
					rows = append(rows, ScanRow{Level: level, Filters: filters, Tables: tables[level]})
				}
			}
		}
		require.Equal(t, rows, f.Scans, plan)
	}
}
