package blob

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/minio/minio-go/v7"
)

// Open implements Store. The first request is made here, and its content can be
// read to the end whatever happens to the object. A read after a Seek makes another
// request, which fails with ErrNotFound when the object has been replaced.
func (s *S3) Open(ctx context.Context, key string) (io.ReadSeekCloser, Object, error) {
	if err := CheckKey(key); err != nil {
		return nil, Object{}, err
	}
	body, info, _, err := s.core.GetObject(ctx, s.bucket, s.name(key), minio.GetObjectOptions{Checksum: true})
	if err != nil {
		return nil, Object{}, fmt.Errorf("blob: %s: %w", key, s3Error(ctx, err))
	}
	c := &s3Content{store: s, ctx: ctx, key: key, etag: info.ETag, size: info.Size, body: body}
	return c, s3Object(key, info), nil
}

// s3Content reads an object from the last Seek on.
type s3Content struct {
	store *S3
	ctx   context.Context
	key   string
	etag  string
	size  int64

	body   io.ReadCloser // from bodyAt on; nil while none is open
	bodyAt int64
	at     int64
	closed bool
}

// Read implements io.Reader.
func (c *s3Content) Read(p []byte) (int, error) {
	switch {
	case c.closed:
		return 0, errClosed
	case c.at >= c.size:
		return 0, io.EOF
	case len(p) == 0:
		return 0, nil
	}
	if c.body != nil && c.bodyAt != c.at {
		c.drop()
	}
	if c.body == nil {
		if err := c.reopen(); err != nil {
			return 0, fmt.Errorf("blob: %s: %w", c.key, err)
		}
	}
	n, err := c.body.Read(p)
	c.at += int64(n)
	c.bodyAt = c.at
	if errors.Is(err, io.EOF) && c.at < c.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

var errClosed = errors.New("blob: the content is closed")

func (c *s3Content) reopen() error {
	var o minio.GetObjectOptions
	if err := errors.Join(o.SetRange(c.at, c.size-1), o.SetMatchETag(c.etag)); err != nil {
		return err
	}
	body, _, _, err := c.store.core.GetObject(c.ctx, c.store.bucket, c.store.name(c.key), o)
	if err = s3Error(c.ctx, err); errors.Is(err, ErrExists) { // a condition that does not hold
		return fmt.Errorf("%w: it was replaced while being read", ErrNotFound)
	}
	c.body, c.bodyAt = body, c.at
	return err
}

func (c *s3Content) drop() {
	c.body.Close()
	c.body = nil
}

// Seek implements io.Seeker. It makes no request by itself.
func (c *s3Content) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.at
	case io.SeekEnd:
		offset += c.size
	}
	if offset < 0 || c.closed {
		return 0, errors.New("blob: seek before the content's beginning, or after closing it")
	}
	c.at = offset
	return offset, nil
}

// Close implements io.Closer.
func (c *s3Content) Close() error {
	c.closed = true
	if c.body == nil {
		return nil
	}
	body := c.body
	c.body = nil
	return body.Close()
}
