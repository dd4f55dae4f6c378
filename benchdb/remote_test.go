package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/objectstore"
	"github.com/gravelkv/gravel/benchdb/internal/run"
)

// small is a run in object storage without latency.
var small = []string{"--workloads", "absent", "--operations", "200", "--memory", "256KiB"}

// remoteRow returns a row; the test fails without it.
func remoteRow(t *testing.T, r run.Result, policy string, lookup run.Lookup) run.RemoteRow {
	t.Helper()
	for _, row := range r.Remote[0].Rows {
		if row.Policy == policy && row.Lookup == lookup {
			return row
		}
	}
	require.FailNow(t, "no such row", "%s %s", policy, lookup)
	return run.RemoteRow{}
}

func TestRunRemote(t *testing.T) {
	got, r := runJSON(t, append(small, "--remote", "local?latency=0s")...)
	requireColumns(t, got.stdout)
	require.Contains(t, got.stdout, "absent keys: the first 200 operations after a restart")
	require.Len(t, r.Remote, 1)
	require.Len(t, r.Remote[0].Rows, 4)
	require.Empty(t, r.Workloads)
	for _, row := range r.Remote[0].Rows {
		for _, cost := range []run.RemoteCost{row.Warm, row.Restart} {
			q := cost.Requests
			require.Equal(t, q.Total.Reads, q.Other.Reads+q.Index.Reads+q.Filter.Reads+q.Data.Reads)
			require.Equal(t, q.Total.Bytes, q.Other.Bytes+q.Index.Bytes+q.Filter.Bytes+q.Data.Bytes)
			require.Equal(t, 200, cost.Operations)
			require.Equal(t, 10, cost.Timed)
			require.Positive(t, cost.Latency.Mean)
		}
		require.Zero(t, row.Warm.Requests.Other, "all tables are open: %s %s", row.Policy, row.Lookup)
		require.Positive(t, row.Restart.Requests.Other.Reads)
	}
	none, bloom := remoteRow(t, r, "none", "Get"), remoteRow(t, r, "pebble-bloom:10", "Get")
	require.Zero(t, none.Warm.Requests.Filter)
	require.Less(t, bloom.Warm.Requests.Total.Reads, none.Warm.Requests.Total.Reads)
	kept, asked := remoteRow(t, r, "default", run.DB), remoteRow(t, r, "pebble-bloom:10", run.L6Filters)
	require.Less(t, kept.Warm.Requests.Total.Reads, asked.Warm.Requests.Total.Reads)
	require.Less(t, kept.Restart.Requests.Filter.Reads, asked.Restart.Requests.Filter.Reads, "a file kept the filters")
}

// TestRunRemoteBucket runs in a bucket that is reached as one of AWS's is.
func TestRunRemoteBucket(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_CONFIG_FILE", "/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/none")
	t.Setenv("AWS_CA_BUNDLE", "")
	server, bucket, err := objectstore.Serve(t.TempDir())
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Close()) }()
	args := append(small, "--remote", "s3://"+bucket.Place.Bucket+"/a/b?endpoint="+bucket.Place.Endpoint)

	_, r := runJSON(t, append(args, "--policies", "none")...)
	require.Positive(t, remoteRow(t, r, "none", "Get").Warm.Requests.Data.Reads)
	require.NoError(t, bucket.CheckEmpty(t.Context()), "objects were removed")

	other, err := http.NewRequest(http.MethodPut, bucket.Place.Endpoint+"/"+bucket.Place.Bucket+"/a/b/other", strings.NewReader("x"))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(other)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	got := command(t, t.Context(), append(tiny, args...)...)
	require.Equal(t, exitUsage, got.status)
	require.Regexp(t, "^benchdb: --remote: s3://local/a/b: it has objects, such as .*; name a prefix without any\n", got.stderr)

	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	got = command(t, t.Context(), append(tiny, args...)...)
	require.Equal(t, exitFailure, got.status)
	require.Contains(t, got.stderr, "credentials")
	require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)

	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	require.NoError(t, server.Close())
	got = command(t, t.Context(), append(tiny, args...)...)
	require.Equal(t, exitFailure, got.status)
	require.Contains(t, got.stderr, "s3://local/a/b")
	require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
}

func TestRunRemoteFlags(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--remote", "bucket"}, "?endpoint=URL or local"},
		{[]string{"--remote", "s3://b?point=http://localhost"}, "?endpoint=URL or local"},
		{[]string{"--remote", "local?latency=-1s"}, "latency=10ms"},
		{[]string{"--remote", "local?latency=soon"}, "latency=10ms"},
		{[]string{"--remote", "local", "--workloads", "absent,A"}, "--workloads A: with --remote only"},
		{[]string{"--remote", "local", "--workloads", "E"}, "--workloads E: with --remote only"},
		{[]string{"--remote", "local", "--direct"}, "--direct: not with --remote"},
		{[]string{"--remote", "local", "--threads", "1,2"}, "several --threads"},
		{[]string{"--remote", "local", "--memory", "1MiB,2MiB"}, "sizes of --memory"},
	} {
		got := command(t, t.Context(), append(tiny[:len(tiny):len(tiny)], test.args...)...)
		require.Equal(t, exitUsage, got.status, test.args)
		require.Contains(t, got.stderr, test.want)
	}
}
