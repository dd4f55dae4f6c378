package objectstore

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Request is a request for a part of an object, as the client sent it.
type Request struct {
	Object      string // the last part of its name
	First, Last int64  // Last is not in it; both are 0 if the server returned no bytes
	Size        int64  // of the object
}

// meter is an HTTP client. It makes requests slow, as far as asked, and tells of
// those for bytes of objects.
type meter struct {
	client   s3.HTTPClient
	latency  atomic.Int64 // in nanoseconds
	observer atomic.Pointer[func(Request)]
}

// SetLatency adds some time to each request from now on.
func (b *Bucket) SetLatency(d time.Duration) { b.meter.latency.Store(int64(d)) }

// Observe makes the bucket tell of each request for bytes of an object, those
// that are sent again and those that fail too; nil ends it. The function is
// called by those who read.
func (b *Bucket) Observe(observer func(Request)) {
	if observer == nil {
		b.meter.observer.Store(nil)
		return
	}
	b.meter.observer.Store(&observer)
}

// Do implements s3.HTTPClient.
func (m *meter) Do(request *http.Request) (*http.Response, error) {
	if err := wait(request.Context(), time.Duration(m.latency.Load())); err != nil {
		return nil, err
	}
	response, err := m.client.Do(request)
	if observer := m.observer.Load(); observer != nil && isRead(request) {
		(*observer)(newRequest(request, response))
	}
	return response, err
}

// isRead reports whether a request is for bytes of an object. Those for lists of
// objects have a query.
func isRead(request *http.Request) bool {
	return request.Method == http.MethodGet && !request.URL.Query().Has("list-type")
}

func newRequest(request *http.Request, response *http.Response) Request {
	r := Request{Object: path.Base(request.URL.Path)}
	if response == nil || response.StatusCode/100 != 2 {
		return r
	}
	r.Last = response.ContentLength
	r.Size = r.Last
	if response.StatusCode == http.StatusPartialContent {
		_, err := fmt.Sscanf(response.Header.Get("Content-Range"), "bytes %d-%d/%d", &r.First, &r.Last, &r.Size)
		if err == nil {
			r.Last++
		}
	}
	return r
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
