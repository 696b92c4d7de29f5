package blob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// S3 is a SignedStore in a bucket of an S3 service. The service itself serves
// signed requests.
type S3 struct {
	core      minio.Core
	transport *http.Transport
	bucket    string
	prefix    string // of every object's name there; empty, or with a slash at its end
	part      uint64 // content beyond this size is sent in parts of it
	now       func() time.Time
}

var _ SignedStore = (*S3)(nil)

// OpenS3 opens the store in a bucket and creates the bucket when it is missing:
//
//	s3://bucket?endpoint=https://host:port&region=us-east-1&path_style=true&prefix=some/folder
//
// Without an endpoint it is Amazon's of the region. path_style puts the bucket
// into the path instead of the host. prefix keeps several stores apart in one
// bucket. The credentials are the user and password of the URL, or those of
// the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
func OpenS3(ctx context.Context, rawURL string) (*S3, error) {
	s, region, err := connectS3(rawURL)
	if err == nil {
		err = s.makeBucket(ctx, region)
	}
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	return s, nil
}

// ErrNoBucket means that a bucket is not there yet.
var ErrNoBucket = errors.New("the bucket does not exist")

// CheckS3 reports whether the bucket of a URL is there and can be written to. It does not create one:
// it fails with ErrNoBucket.
func CheckS3(ctx context.Context, rawURL string) error {
	s, _, err := connectS3(rawURL)
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	switch exists, err := s.core.BucketExists(ctx, s.bucket); {
	case err != nil:
		return fmt.Errorf("blob: asking for the S3 bucket %s: %w", s.bucket, err)
	case !exists:
		return fmt.Errorf("blob: S3 bucket %s: %w", s.bucket, ErrNoBucket)
	}
	return s.Ping(ctx)
}

func connectS3(rawURL string) (s *S3, region string, err error) {
	place, err := readS3URL(rawURL)
	if err != nil {
		return nil, "", err
	}
	transport := newTransport()
	client, err := minio.New(place.host, &minio.Options{
		Creds: place.creds, Secure: place.secure, Region: place.region, BucketLookup: place.lookup,
		Transport: transport, MaxRetries: 4,
	})
	if err != nil {
		return nil, "", fmt.Errorf("the S3 endpoint %s: %w", place.host, err)
	}
	s = &S3{core: minio.Core{Client: client}, transport: transport, bucket: place.bucket, prefix: place.prefix, part: 64 << 20, now: time.Now}
	return s, place.region, nil
}

func (s *S3) makeBucket(ctx context.Context, region string) error {
	exists, err := s.core.BucketExists(ctx, s.bucket)
	if err != nil {
		return fmt.Errorf("asking for the S3 bucket %s: %w", s.bucket, err)
	}
	if exists {
		return nil
	}
	err = s.core.MakeBucket(ctx, s.bucket, minio.MakeBucketOptions{Region: region})
	switch minio.ToErrorResponse(err).Code {
	case "BucketAlreadyOwnedByYou": // another node has created it
		return nil
	}
	if err != nil {
		return fmt.Errorf("the S3 bucket %s does not exist and cannot be created: %w", s.bucket, err)
	}
	return nil
}

// newTransport is Go's default transport with timeouts for a server that does not
// answer, and as many idle connections to one host as the packages above use at
// once.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64
	t.ResponseHeaderTimeout = time.Minute
	t.DisableCompression = true // objects come as they were stored
	return t
}

// s3Location is what a URL of OpenS3 says.
type s3Location struct {
	bucket, prefix, host, region string
	secure                       bool
	lookup                       minio.BucketLookupType
	creds                        *credentials.Credentials
}

// readS3URL reads the URL. Its errors never quote it: it may hold a password.
func readS3URL(raw string) (s3Location, error) {
	var p s3Location
	u, err := url.Parse(raw)
	if err != nil {
		return p, errors.New("the S3 URL cannot be read")
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return p, errors.New("the query of the S3 URL cannot be read")
	}
	known := []string{"endpoint", "region", "path_style", "prefix"}
	for key, values := range q {
		if !slices.Contains(known, key) {
			return p, fmt.Errorf("the S3 URL has an unknown setting %q: there are %s", key, strings.Join(known, ", "))
		}
		if len(values) > 1 {
			return p, fmt.Errorf("the S3 URL has %s twice", key)
		}
	}
	switch {
	case u.Scheme != "s3" || u.Host == "":
		return p, errors.New("an S3 URL looks like s3://bucket?endpoint=https://host")
	case u.Path != "" && u.Path != "/":
		return p, errors.New("the S3 URL has a path: name a folder of the bucket with prefix=")
	case u.Fragment != "":
		return p, errors.New("the S3 URL has a fragment")
	}
	p.bucket, p.region = u.Host, q.Get("region")
	if p.region == "" {
		p.region = "us-east-1"
	}
	if p.prefix = strings.Trim(q.Get("prefix"), "/"); p.prefix != "" {
		if err := CheckKey(p.prefix); err != nil || len(p.prefix) > maxKey-1 {
			return p, errors.New("the prefix of the S3 URL is not valid: use letters, digits, dots, dashes and underscores between slashes")
		}
		p.prefix += "/"
	}
	switch q.Get("path_style") {
	case "":
		p.lookup = minio.BucketLookupAuto
	case "true":
		p.lookup = minio.BucketLookupPath
	case "false":
		p.lookup = minio.BucketLookupDNS
	default:
		return p, errors.New("path_style of the S3 URL must be true or false")
	}
	if err := p.readEndpoint(q.Get("endpoint")); err != nil {
		return p, err
	}
	return p, p.readCredentials(u.User)
}

func (p *s3Location) readEndpoint(raw string) error {
	if raw == "" {
		p.host, p.secure = "s3."+p.region+".amazonaws.com", true
		return nil
	}
	e, err := url.Parse(raw)
	if err != nil || (e.Scheme != "http" && e.Scheme != "https") || e.Host == "" {
		return errors.New("the endpoint of the S3 URL must look like https://host:port")
	}
	if strings.Trim(e.Path, "/") != "" || e.RawQuery != "" || e.User != nil || e.Fragment != "" {
		return errors.New("the endpoint of the S3 URL must be a scheme, a host and a port, and nothing else")
	}
	p.host, p.secure = e.Host, e.Scheme == "https"
	return nil
}

func (p *s3Location) readCredentials(user *url.Userinfo) error {
	id, secret, token := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN")
	if user != nil {
		password, _ := user.Password()
		id, secret, token = user.Username(), password, ""
	}
	if id == "" || secret == "" {
		return errors.New("there are no S3 credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	p.creds = credentials.NewStaticV4(id, secret, token)
	return nil
}
