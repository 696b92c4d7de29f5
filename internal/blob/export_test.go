package blob

import (
	"context"
	"io"

	"github.com/minio/minio-go/v7"
)

// ReadForm reads a form to its end.
func ReadForm(r io.Reader, boundary string) (fields map[string]string, file []byte, err error) {
	f := newFormReader(r, boundary)
	fields = map[string]string{}
	for {
		name, _, err := f.next()
		if err != nil {
			return nil, nil, err
		}
		if name == "file" {
			break
		}
		if fields[name], err = f.value(); err != nil {
			return nil, nil, err
		}
	}
	file, err = io.ReadAll(f)
	return fields, file, err
}

// SendInPartsOf sets the size of parts, and beyond which content is sent in parts.
func (s *S3) SendInPartsOf(size uint64) { s.part = size }

// Abandon begins to send an object in parts and does not finish.
func (s *S3) Abandon(ctx context.Context, key string) error {
	_, err := s.core.NewMultipartUpload(ctx, s.bucket, s.name(key), minio.PutObjectOptions{})
	return err
}

// ForgetPing leaves a probe behind.
func (s *S3) ForgetPing(ctx context.Context) error {
	_, err := s.core.Client.PutObject(ctx, s.bucket, s.prefix+probes+"forgotten", nil, 0, minio.PutObjectOptions{})
	return err
}
