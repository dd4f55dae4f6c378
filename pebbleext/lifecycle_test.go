package pebbleext_test

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/tool"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

const pebbleName = "rocksdb.BuiltinBloomFilter"

// TestSwitchOfPolicies takes a store on disk from Pebble's own policy to
// Gravel's and back, twice, with tables of both on the way.
func TestSwitchOfPolicies(t *testing.T) {
	t.Cleanup(pointread.Force(pointread.Tables))
	s := &livingStore{t: t, dir: t.TempDir(), want: map[string]string{}}
	names := []string{pebbleName}
	for round, plan := range []string{
		pebbleName, "bloom:10", pebbleName, "L0-L5=bloom:14;L6=bloom:8,layout=flat", "bloom:12",
	} {
		policy := pebbleext.Uniform(bloom.FilterPolicy(10))
		if plan != pebbleName {
			var err error
			policy, err = pebbleext.ParsePlan(plan)
			require.NoError(t, err)
		}
		s.open(policy)
		s.check(names...) // as the last round left it

		written := policy.Levels[6].Name()
		s.write(round)
		require.NoError(t, s.db.Flush())
		if !slices.Contains(names, written) {
			names = append(names, written)
			slices.Sort(names)
		}
		s.check(names...)
		require.NoError(t, s.db.Close())
		s.open(policy)
		s.check(names...)

		storetest.CompactAll(t, s.db, []byte("a"), []byte("z"))
		names = []string{written}
		s.check(names...)
		require.NoError(t, s.db.Close())
	}
}

// livingStore is a store and what it should hold.
type livingStore struct {
	t    *testing.T
	dir  string
	db   *pebble.DB
	want map[string]string
}

func (s *livingStore) open(plan pebbleext.Plan) {
	opts := storetest.Options(vfs.Default, nil)
	opts.DisableAutomaticCompactions = true // tables of both policies must stay
	storetest.Apply(opts, plan)
	s.db = storetest.Open(s.t, s.dir, opts)
}

// write changes a third of the keys.
func (s *livingStore) write(round int) {
	for i := range 1000 {
		key := fmt.Sprintf("key%04d", i)
		switch {
		case i%3 != round%3 && len(s.want) > 0:
		case i%7 == round%7:
			require.NoError(s.t, s.db.Delete([]byte(key), nil))
			delete(s.want, key)
		default:
			s.want[key] = fmt.Sprintf("value %d of round %d", i, round)
			require.NoError(s.t, s.db.Set([]byte(key), []byte(s.want[key]), nil))
		}
	}
}

// check reads all keys, absent ones too, and tells whose filters tables have.
func (s *livingStore) check(names ...string) {
	s.t.Helper()
	if len(s.want) == 0 {
		return
	}
	tables, err := s.db.SSTables(pebble.WithProperties())
	require.NoError(s.t, err)
	written := map[string]bool{}
	for _, level := range tables {
		for _, table := range level {
			written[table.Properties.FilterPolicyName] = true
		}
	}
	require.Equal(s.t, names, slices.Sorted(maps.Keys(written)))
	r := pebbleext.ReaderOf(s.db, nil, pebbleext.Options{})
	before := s.db.Metrics().Filter
	for _, reader := range []storetest.Getter{r, s.db} {
		for i := range 1000 {
			for _, key := range []string{fmt.Sprintf("key%04d", i), fmt.Sprintf("key%04d-absent", i)} {
				value, err := storetest.Get(s.t, reader, []byte(key))
				want, ok := s.want[key]
				require.Equal(s.t, ok, err == nil, "%s: %v", key, err)
				require.Equal(s.t, want, string(value), key)
			}
		}
	}
	after := s.db.Metrics().Filter
	require.Greater(s.t, after.Hits-before.Hits, int64(900), "filters answer")
	require.Greater(s.t, after.Misses-before.Misses, int64(100))
}

// TestPebbleTool lets Pebble's command check the tables: it looks every key of
// a table up through the table's filter.
func TestPebbleTool(t *testing.T) {
	dir := t.TempDir()
	db := storetest.Open(t, dir, storetest.Options(vfs.Default, filterpolicy.Bloom(10)))
	keys := storetest.Fill(t, db, 500, 10)
	require.NoError(t, db.Close())
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	require.NoError(t, err)
	require.NotEmpty(t, tables)

	policy := &countingPolicy{FilterPolicy: filterpolicy.Bloom(10)}
	require.NotContains(t, runTool(t, policy, append([]string{"sstable", "check"}, tables...)...), "WARNING")
	require.EqualValues(t, len(keys), policy.Asked.Load())
	require.Contains(t, runTool(t, policy, append([]string{"sstable", "properties"}, tables...)...), filterpolicy.Name)
	require.NotContains(t, runTool(t, policy, "db", "check", dir), "WARNING")

	liar := &countingPolicy{FilterPolicy: filterpolicy.Bloom(10), Deny: true}
	require.Contains(t, runTool(t, liar, append([]string{"sstable", "check"}, tables...)...),
		"PREFIX ITERATION FAILURE", "the command notices a false negative")
}

func runTool(t *testing.T, policy pebble.FilterPolicy, args ...string) string {
	t.Helper()
	for _, command := range tool.New(tool.Filters(policy)).Commands {
		if command.Name() != args[0] {
			continue
		}
		var output bytes.Buffer
		command.SetOut(&output)
		command.SetErr(&output)
		command.SetArgs(args[1:])
		require.NoError(t, command.Execute())
		require.NotContains(t, strings.ToLower(output.String()), "error")
		return output.String()
	}
	t.Fatalf("the tool has no command %s", args[0])
	return ""
}
