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
	Object string // the last part of its name
	Part          // zero if the server returned no bytes
}

// Part is a part of an object.
type Part struct {
	First, Last int64 // Last is not in it
	Size        int64 // of the object
}

// newPart returns what an answer of some bytes has: all of the object, if there is
// no header Content-Range.
func newPart(contentRange string, length int64) (p Part, err error) {
	if contentRange == "" {
		return Part{0, length, length}, nil
	}
	if _, err := fmt.Sscanf(contentRange, "bytes %d-%d/%d", &p.First, &p.Last, &p.Size); err != nil {
		return Part{}, fmt.Errorf("range %q: %w", contentRange, err)
	}
	p.Last++
	if p.First < 0 || p.Last < p.First || p.Size < p.Last || length != p.Last-p.First {
		return Part{}, fmt.Errorf("range %q: the answer has %d bytes", contentRange, length)
	}
	return p, nil
}

func (p Part) String() string { return fmt.Sprintf("bytes %d to %d of %d", p.First, p.Last, p.Size) }

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
	if response != nil && response.StatusCode/100 == 2 {
		r.Part, _ = newPart(response.Header.Get("Content-Range"), response.ContentLength) // who reads it finds the error
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
