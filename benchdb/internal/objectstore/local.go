package objectstore

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3afero"
	"github.com/spf13/afero"
)

// localBucket is the one bucket of a Server.
const localBucket = "local"

// Server is an S3 server in this process, on a port of the loopback interface,
// whose objects are files of a directory.
type Server struct{ http http.Server }

// Serve starts a server and returns its bucket. Handlers, if any, are around
// that of the server.
func Serve(dir string, handlers ...func(http.Handler) http.Handler) (*Server, *Bucket, error) {
	backend, err := s3afero.SingleBucket(localBucket, afero.NewBasePathFs(afero.NewOsFs(), dir), nil)
	if err != nil {
		return nil, nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	s := &Server{}
	s.http.Handler = gofakes3.New(backend, gofakes3.WithoutVersioning()).Server()
	for _, around := range handlers {
		s.http.Handler = around(s.http.Handler)
	}
	go func() { _ = s.http.Serve(listener) }() // it ends with ErrServerClosed
	place := Place{Bucket: localBucket, Endpoint: "http://" + listener.Addr().String()}
	settings := aws.Config{ // not that of the machine
		Region:      defaultRegion,
		Credentials: credentials.NewStaticCredentialsProvider(localBucket, localBucket, ""),
	}
	return s, open(place, settings), nil
}

// Close ends the server. Its objects stay.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		return s.http.Close() // with those that still wait for an answer
	}
	return nil
}
