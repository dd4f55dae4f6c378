package objectstore

import (
	"context"
	"maps"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/objstorage/remote"
	"github.com/stretchr/testify/require"
)

func serve(t *testing.T, handlers ...func(http.Handler) http.Handler) *Bucket {
	t.Helper()
	server, bucket, err := Serve(t.TempDir(), handlers...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return bucket
}

func newStorage(t *testing.T, b *Bucket) remote.Storage {
	t.Helper()
	s, err := b.Factory("store").CreateStorage("")
	require.NoError(t, err)
	return s
}

func create(t *testing.T, s remote.Storage, name string, content []byte) {
	t.Helper()
	w, err := s.CreateObject(name)
	require.NoError(t, err)
	_, err = w.Write(content[:len(content)/2])
	require.NoError(t, err)
	_, err = w.Write(content[len(content)/2:])
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

func random(n int) []byte {
	content := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content)
	return content
}

// observed notes requests.
type observed struct {
	mu       sync.Mutex
	requests []Request
}

func (o *observed) take() []Request {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.requests
	o.requests = nil
	return taken
}

func observe(b *Bucket) *observed {
	o := &observed{}
	b.Observe(func(r Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.requests = append(o.requests, r)
	})
	return o
}

func TestObjects(t *testing.T) {
	bucket := serve(t)
	s := newStorage(t, bucket)
	_, _, err := s.ReadObject(t.Context(), "a.sst")
	require.True(t, s.IsNotExistError(err), "%v", err)
	_, err = s.Size("a.sst")
	require.True(t, s.IsNotExistError(err), "%v", err)
	require.NoError(t, bucket.CheckEmpty(t.Context()))

	seen := observe(bucket)
	for _, size := range []int{1, 99, 32<<10 - 1, 32 << 10, 32<<10 + 1, 100_000} {
		content := random(size)
		create(t, s, "a.sst", content)
		length, err := s.Size("a.sst")
		require.NoError(t, err)
		require.EqualValues(t, size, length)
		require.Empty(t, seen.take())

		r, length, err := s.ReadObject(t.Context(), "a.sst")
		require.NoError(t, err)
		require.EqualValues(t, size, length)
		opened := seen.take()
		require.Equal(t, Request{"a.sst", Part{max(0, int64(size-32<<10)), int64(size), int64(size)}}, opened[len(opened)-1])

		tail := make([]byte, min(size, 20_000))
		require.NoError(t, r.ReadAt(t.Context(), tail, int64(size-len(tail))))
		require.Equal(t, content[size-len(tail):], tail)
		require.Empty(t, seen.take(), "the object's end came with its size")

		part := make([]byte, (size+1)/2)
		require.NoError(t, r.ReadAt(t.Context(), part, int64(size/3)))
		require.Equal(t, content[size/3:size/3+len(part)], part)
		require.Equal(t, []Request{{"a.sst", Part{int64(size / 3), int64(size/3 + len(part)), int64(size)}}}, seen.take())
		require.ErrorContains(t, r.ReadAt(t.Context(), part, int64(size-len(part)+1)), "unexpected EOF")
		require.NoError(t, r.Close())
	}

	create(t, s, "a.sst.ref.1.000001", nil)
	create(t, s, "b.sst", nil)
	for prefix, want := range map[string][]string{
		"":           {"a.sst", "a.sst.ref.1.000001", "b.sst"},
		"a.sst.ref.": {"1.000001"},
		"c":          nil,
	} {
		names, err := s.List(prefix, "")
		require.NoError(t, err)
		require.ElementsMatch(t, want, names, prefix)
	}
	require.ErrorContains(t, bucket.CheckEmpty(t.Context()), "it has objects, such as store/")
	require.NoError(t, s.Delete("a.sst"))
	_, err = s.Size("a.sst")
	require.True(t, s.IsNotExistError(err))
	require.NoError(t, bucket.Clear(t.Context()))
	require.NoError(t, bucket.CheckEmpty(t.Context()))
}

// A server that returns another part than it was asked for is not believed,
// whatever it says of its answer.
func TestAnswersOfOtherParts(t *testing.T) {
	var header http.Header
	bucket := serve(t, func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if header == nil || r.Method != http.MethodGet {
				server.ServeHTTP(w, r)
				return
			}
			maps.Copy(w.Header(), header)
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(make([]byte, 100))
		})
	})
	s := newStorage(t, bucket)
	create(t, s, "a.sst", random(100_000))
	answer := func(contentRange, length string) http.Header {
		return http.Header{"Content-Range": {contentRange}, "Content-Length": {length}}
	}
	r, size, err := s.ReadObject(t.Context(), "a.sst")
	require.NoError(t, err)
	require.EqualValues(t, 100_000, size)
	for _, contentRange := range []string{"bytes 300-399/100000", "bytes 200-299/100001", "bytes 200-298/100000"} {
		header = answer(contentRange, "100")
		require.Error(t, r.ReadAt(t.Context(), make([]byte, 100), 200), contentRange)
	}
	header = answer("bytes 200-299/100000", "100")
	require.NoError(t, r.ReadAt(t.Context(), make([]byte, 100), 200))

	const huge = "4611686018427387904"
	for _, header = range []http.Header{
		answer("bytes 0-4611686018427387903/"+huge, huge),
		{"Content-Length": {huge}},
		answer("bytes 99900-99998/100000", "100"),
	} {
		_, _, err = s.ReadObject(t.Context(), "a.sst")
		require.Error(t, err, header)
	}
	_, err = newPart("bytes 5-3/9", -1) // of a length that the server does not tell
	require.Error(t, err)
}

// What cannot be removed is said to be left.
func TestClearFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, serve(t).Clear(ctx), "objects are left in s3://local")
}

func TestParseURL(t *testing.T) {
	for text, want := range map[string]Place{
		"s3://b":                       {Bucket: "b"},
		"s3://b/":                      {Bucket: "b"},
		"s3://b/p/of/i":                {Bucket: "b", Prefix: "p/of/i"},
		"s3://b/p?endpoint=http://h:1": {Bucket: "b", Prefix: "p", Endpoint: "http://h:1"},
		"s3://b?latency=3ms":           {Bucket: "b", Latency: 3 * time.Millisecond},
		"local":                        {Local: true, Latency: 20 * time.Millisecond},
		"local?latency=0s":             {Local: true},
	} {
		p, err := ParseURL(text)
		require.NoError(t, err)
		require.Equal(t, want, p)
	}
	for _, text := range []string{"", "b", "s3:", "s3://", "s3:///p", "https://b/p", "s3://b/p?q=1", "s3://b#f", "local?endpoint=http://h", "local?latency=-1s", "local?latency=x"} {
		_, err := ParseURL(text)
		require.ErrorContains(t, err, "write s3://bucket/prefix", text)
	}
}
