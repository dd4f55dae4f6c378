package store

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/benchdb/internal/objectstore"
	"github.com/gravelkv/gravel/benchdb/internal/ycsb"
)

// TestTablesInABucket counts the requests of lookups, whose kinds are those of
// the reads of the same store on disk.
func TestTablesInABucket(t *testing.T) {
	server, bucket, err := objectstore.Serve(t.TempDir())
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Close()) }()
	s := settings(3000)
	s.Bucket = bucket
	st := load(t, Build, "pebble-bloom:10", s)
	d, err := st.Describe()
	require.NoError(t, err)
	require.Len(t, d.Levels, 4)
	objects, err := st.Objects(t.Context())
	require.NoError(t, err)
	require.Len(t, objects, 4)

	counter := objectstore.NewCounter(objects)
	bucket.Observe(counter.Count)
	db, err := st.Open(View{Dir: st.Dir, FS: vfs.Default})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.Zero(t, counter.Take())
	for n := range uint64(s.Records) {
		value, closer, err := db.Get(ycsb.Keys(0).Append(nil, n))
		require.NoError(t, err)
		require.Equal(t, s.Values.Of(n), value)
		require.NoError(t, closer.Close())
	}
	counts := counter.Take()
	t.Logf("%+v", counts)
	opens := 4
	for _, level := range d.Levels {
		if level.Bytes < 32<<10 {
			opens++ // this server refuses to return the last 32 KiB of less
		}
	}
	require.EqualValues(t, opens, counts.Other.Reads, "one request opens a table")
	require.Positive(t, counts.Index.Reads)
	require.Positive(t, counts.Filter.Reads)
	require.Positive(t, counts.Data.Reads)
}

// TestRequestsThatGoWrong: a lookup whose requests fail, are slow, or return half
// or bytes from elsewhere, fails or is right.
func TestRequestsThatGoWrong(t *testing.T) {
	faults := &faults{}
	server, bucket, err := objectstore.Serve(t.TempDir(), faults.around)
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Close()) }()
	s := settings(3000)
	s.Bucket = bucket
	st := load(t, Build, "bloom:10", s)
	db, reader, err := st.OpenWith(View{Dir: st.Dir, FS: vfs.Default, Resident: true})
	require.NoError(t, err)

	faults.on.Store(true)
	failed := 0
	for n := range uint64(2 * s.Records) {
		value, closer, err := reader.Get(ycsb.Keys(0).Append(nil, n))
		switch {
		case err == nil:
			require.Equal(t, s.Values.Of(n), value)
			require.NoError(t, closer.Close())
		case n < uint64(s.Records):
			require.NotErrorIs(t, err, pebble.ErrNotFound)
			failed++
		}
	}
	t.Logf("%d of %d lookups of records failed, %d of %d requests went wrong", failed, s.Records, faults.made.Load(), faults.requests.Load())
	require.Positive(t, failed)
	require.Greater(t, faults.made.Load(), int64(len(kinds)))

	faults.on.Store(false)
	for n := range uint64(s.Records) {
		value, closer, err := reader.Get(ycsb.Keys(0).Append(nil, n))
		require.NoError(t, err)
		require.Equal(t, s.Values.Of(n), value)
		require.NoError(t, closer.Close())
	}
	require.NoError(t, reader.Close())
	require.NoError(t, db.Close())
}

// faults makes a server's answers go wrong, one in three, each in a way that is
// next in turn.
type faults struct {
	on             atomic.Bool
	requests, made atomic.Int64
}

// kinds are the ways.
var kinds = []func(w http.ResponseWriter, answer *httptest.ResponseRecorder){
	func(w http.ResponseWriter, _ *httptest.ResponseRecorder) { w.WriteHeader(http.StatusForbidden) },
	func(w http.ResponseWriter, answer *httptest.ResponseRecorder) { // the connection ends
		send(w, answer, answer.Body.Bytes()[:answer.Body.Len()/2])
		panic(http.ErrAbortHandler)
	},
	func(w http.ResponseWriter, answer *httptest.ResponseRecorder) { // half, as if that were all
		answer.Header().Set("Content-Length", fmt.Sprint(answer.Body.Len()/2))
		send(w, answer, answer.Body.Bytes()[:answer.Body.Len()/2])
	},
	func(w http.ResponseWriter, answer *httptest.ResponseRecorder) { // bytes from elsewhere
		answer.Header().Set("Content-Range", "bytes 0-9/10")
		send(w, answer, answer.Body.Bytes())
	},
	func(w http.ResponseWriter, answer *httptest.ResponseRecorder) { // late, but right
		time.Sleep(20 * time.Millisecond)
		send(w, answer, answer.Body.Bytes())
	},
}

func send(w http.ResponseWriter, answer *httptest.ResponseRecorder, body []byte) {
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body) // the client may have gone
}

func (f *faults) around(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !f.on.Load() || r.Method != http.MethodGet {
			server.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, r)
		if f.requests.Add(1)%3 != 0 || answer.Code/100 != 2 {
			send(w, answer, answer.Body.Bytes())
			return
		}
		kinds[f.made.Add(1)%int64(len(kinds))](w, answer)
	})
}
