// Package objectstore keeps the tables of the stores that benchdb measures in an
// S3 bucket, and counts the requests that they make.
package objectstore

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Place says where a bucket is.
type Place struct {
	// Local is a server in this process; all else but the latency is empty then.
	Local bool
	// Bucket and Prefix are those of s3://bucket/prefix.
	Bucket, Prefix string
	// Endpoint is the server's URL, empty for that of AWS.
	Endpoint string
	// Latency is added to each request while operations are timed.
	Latency time.Duration
}

// localLatency is about what a request to object storage takes.
const localLatency = 20 * time.Millisecond

// ParseURL reads s3://bucket/prefix, with ?endpoint=URL behind it for a server
// other than AWS, or local for one in this process; both may have latency=10ms.
func ParseURL(text string) (p Place, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return p, fmt.Errorf("%.100q: %s", text, forms)
	}
	p = Place{Local: u.Scheme == "" && u.Path == "local", Bucket: u.Host, Prefix: strings.Trim(u.Path, "/")}
	if p.Local {
		p.Prefix, p.Latency = "", localLatency
	} else if u.Scheme != "s3" || u.Host == "" || u.Fragment != "" {
		return p, fmt.Errorf("%.100q: %s", text, forms)
	}
	values, err := url.ParseQuery(u.RawQuery)
	for name, value := range values {
		switch {
		case name == "endpoint" && !p.Local && value[0] != "":
			p.Endpoint = value[0]
		case name == "latency" && err == nil:
			p.Latency, err = time.ParseDuration(value[0])
		default:
			err = errors.New(name)
		}
	}
	if err != nil || p.Latency < 0 {
		return p, fmt.Errorf("%.100q: %s", text, forms)
	}
	return p, nil
}

const forms = "write s3://bucket/prefix, s3://bucket/prefix?endpoint=URL or local, with latency=10ms if requests are to take longer"

// String returns the text that ParseURL reads, without what follows a question
// mark.
func (p Place) String() string { return strings.TrimSuffix("s3://"+p.Bucket+"/"+p.Prefix, "/") }

// Bucket is an S3 bucket. It is safe for concurrent use.
type Bucket struct {
	Place Place // where it is
	api   *s3.Client
	meter *meter
}

// Open returns the bucket of a place. Credentials and all else that a Place does
// not say come from where AWS's programs have them: the environment, files in
// ~/.aws, or the machine's role. It asks the server nothing yet.
func Open(ctx context.Context, place Place) (*Bucket, error) {
	settings, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{})) // what fails comes back
	if err != nil {
		return nil, err
	}
	if settings.Region == "" {
		settings.Region = defaultRegion
	}
	return open(place, settings), nil
}

// defaultRegion is what a client must name. Servers other than AWS ignore it.
const defaultRegion = "us-east-1"

func open(place Place, settings aws.Config) *Bucket {
	b := &Bucket{Place: place, meter: &meter{client: settings.HTTPClient}}
	if b.meter.client == nil {
		b.meter.client = awshttp.NewBuildableClient()
	}
	b.api = s3.NewFromConfig(settings, func(o *s3.Options) {
		o.HTTPClient = b.meter
		if place.Endpoint != "" {
			o.BaseEndpoint = aws.String(place.Endpoint)
			o.UsePathStyle = true
		}
		// Servers other than AWS need not know the newest checksums. Tables have
		// their own.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	})
	return b
}

// key is the name of an object of the place in the bucket.
func (b *Bucket) key(name string) *string {
	if b.Place.Prefix != "" {
		name = b.Place.Prefix + "/" + name
	}
	return &name
}

// CheckEmpty fails unless the place can be listed and has no object.
func (b *Bucket) CheckEmpty(ctx context.Context) error {
	names, err := b.list(ctx, "", 1)
	if err != nil {
		return fmt.Errorf("%v: %w", b.Place, err)
	}
	if len(names) > 0 {
		return report.Usagef("--remote: %v: it has objects, such as %s; name a prefix without any", b.Place, names[0])
	}
	return nil
}

// Clear removes all objects of the place. An error says that some are left.
func (b *Bucket) Clear(ctx context.Context) error {
	names, err := b.list(ctx, "", 0)
	for _, name := range names {
		err = errors.Join(err, b.remove(ctx, name))
	}
	if err != nil {
		return fmt.Errorf("objects are left in %v, remove them: %w", b.Place, err)
	}
	return nil
}

// list returns the names of objects that begin so, up to a number if that is
// not 0.
func (b *Bucket) list(ctx context.Context, prefix string, most int) (names []string, err error) {
	base := *b.key("")
	pages := s3.NewListObjectsV2Paginator(b.api, &s3.ListObjectsV2Input{
		Bucket: &b.Place.Bucket, Prefix: b.key(prefix),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, object := range page.Contents {
			names = append(names, strings.TrimPrefix(aws.ToString(object.Key), base))
			if len(names) == most {
				return names, nil
			}
		}
	}
	return names, nil
}

func (b *Bucket) remove(ctx context.Context, name string) error {
	_, err := b.api.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.Place.Bucket, Key: b.key(name)})
	return err
}
