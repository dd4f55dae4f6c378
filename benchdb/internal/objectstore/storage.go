package objectstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cockroachdb/pebble/v2/objstorage/remote"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
)

// storage is a folder of a bucket as Pebble uses it.
type storage struct {
	bucket *Bucket
	folder string // ends in a slash
}

var _ remote.Storage = (*storage)(nil)

// Factory returns the storage of one store, whose tables lie in a folder of the
// place, for pebble.Options.Experimental.RemoteStorage.
func (b *Bucket) Factory(folder string) remote.StorageFactory {
	return remote.MakeSimpleFactory(map[remote.Locator]remote.Storage{"": &storage{b, folder + "/"}})
}

// Close implements remote.Storage.
func (s *storage) Close() error { return nil }

// ReadObject implements remote.Storage. One request returns both the object's
// size and its end, which Pebble reads first of each table that it opens.
func (s *storage) ReadObject(ctx context.Context, name string) (remote.ObjectReader, int64, error) {
	r := &reader{storage: s, name: name}
	end, err := s.get(ctx, name, fmt.Sprintf("bytes=-%d", diskio.EndSize))
	if statusOf(err) == http.StatusRequestedRangeNotSatisfiable {
		end, err = s.get(ctx, name, "") // it is shorter, which some servers take amiss
	}
	if err != nil {
		return nil, 0, err
	}
	if end.Last != end.Size || end.Last-end.First > diskio.EndSize {
		return nil, 0, errors.Join(end.body.Close(), fmt.Errorf("object %s: the server returned %v, not the last", name, end.Part))
	}
	tail := make([]byte, end.Last-end.First)
	if err := end.read(tail); err != nil {
		return nil, 0, err
	}
	r.size = end.Size
	r.tail.Store(&tail)
	return r, r.size, nil
}

// answer is what a server returns of an object.
type answer struct {
	Part
	body io.ReadCloser
}

// get requests a part of an object, or all of it if there is no range.
func (s *storage) get(ctx context.Context, name, byteRange string) (a answer, err error) {
	input := &s3.GetObjectInput{Bucket: &s.bucket.Place.Bucket, Key: s.key(name)}
	if byteRange != "" {
		input.Range = &byteRange
	}
	out, err := s.bucket.api.GetObject(ctx, input)
	if err != nil {
		return a, err
	}
	a.body = out.Body
	if a.Part, err = newPart(aws.ToString(out.ContentRange), aws.ToInt64(out.ContentLength)); err != nil {
		return a, errors.Join(fmt.Errorf("object %s: %w", name, err), a.body.Close())
	}
	return a, nil
}

// read reads the whole part.
func (a answer) read(dst []byte) error {
	_, err := io.ReadFull(a.body, dst)
	return errors.Join(err, a.body.Close())
}

// reader reads an object.
type reader struct {
	*storage
	name string
	size int64
	// tail is the object's end, until it is read.
	tail atomic.Pointer[[]byte]
}

// ReadAt implements remote.ObjectReader.
func (r *reader) ReadAt(ctx context.Context, dst []byte, offset int64) error {
	if tail := r.tail.Swap(nil); tail != nil {
		if from := offset - (r.size - int64(len(*tail))); from >= 0 && from+int64(len(dst)) <= int64(len(*tail)) {
			copy(dst, (*tail)[from:])
			return nil
		}
	}
	asked := Part{offset, offset + int64(len(dst)), r.size}
	if len(dst) == 0 || asked.Last > r.size {
		return fmt.Errorf("object %s: %v: %w", r.name, asked, io.ErrUnexpectedEOF)
	}
	a, err := r.get(ctx, r.name, fmt.Sprintf("bytes=%d-%d", offset, asked.Last-1))
	if err != nil {
		return err
	}
	if a.Part != asked {
		return errors.Join(a.body.Close(), fmt.Errorf("object %s: the server returned %v, not %v", r.name, a.Part, asked))
	}
	return a.read(dst)
}

// Close implements remote.ObjectReader.
func (r *reader) Close() error { return nil }

// CreateObject implements remote.Storage. The object is in memory until Close.
func (s *storage) CreateObject(name string) (io.WriteCloser, error) {
	return &writer{storage: s, name: name}, nil
}

type writer struct {
	bytes.Buffer
	storage *storage
	name    string
}

// Close implements io.Closer.
func (w *writer) Close() error {
	_, err := w.storage.bucket.api.PutObject(context.Background(), &s3.PutObjectInput{
		Bucket: &w.storage.bucket.Place.Bucket, Key: w.storage.key(w.name), Body: bytes.NewReader(w.Bytes()),
	})
	return err
}

// List implements remote.Storage.
func (s *storage) List(prefix, delimiter string) ([]string, error) {
	names, err := s.bucket.list(context.Background(), s.folder+prefix, 0)
	if err != nil {
		return nil, err
	}
	var parts []string
	seen := make(map[string]bool)
	for _, name := range names {
		name = strings.TrimPrefix(name, s.folder+prefix)
		if delimiter != "" {
			name, _, _ = strings.Cut(strings.TrimPrefix(name, delimiter), delimiter)
		}
		if !seen[name] {
			seen[name] = true
			parts = append(parts, name)
		}
	}
	return parts, nil
}

// Delete implements remote.Storage.
func (s *storage) Delete(name string) error {
	return s.bucket.remove(context.Background(), s.folder+name)
}

// Size implements remote.Storage.
func (s *storage) Size(name string) (int64, error) {
	head, err := s.bucket.api.HeadObject(context.Background(), &s3.HeadObjectInput{
		Bucket: &s.bucket.Place.Bucket, Key: s.key(name),
	})
	if err != nil {
		return 0, err
	}
	return aws.ToInt64(head.ContentLength), nil
}

// IsNotExistError implements remote.Storage.
func (s *storage) IsNotExistError(err error) bool { return statusOf(err) == http.StatusNotFound }

func (s *storage) key(name string) *string { return s.bucket.key(s.folder + name) }

// statusOf returns the HTTP status of an error, 0 if it has none.
func statusOf(err error) int {
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}
