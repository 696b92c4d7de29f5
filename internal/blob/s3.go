package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// Put implements Store. It first spools the content to a file of this machine (in
// TMPDIR), and sends it when all of it has arrived and been checked. The digest
// must precede the content, Check reads all of it, and in S3 an object cannot wait
// unseen: a temporary key and a copy would cost a second pass and could be left
// behind. A Put that fails early therefore never touches the bucket, and S3 shows
// an object only when it is complete.
func (s *S3) Put(ctx context.Context, key string, r io.Reader, o PutOptions) (Object, error) {
	if err := CheckKey(key); err != nil {
		return Object{}, err
	}
	obj, err := s.put(ctx, key, r, o)
	if err != nil {
		return Object{}, fmt.Errorf("blob: put %s: %w", key, diskOutage(err))
	}
	return obj, nil
}

func (s *S3) put(ctx context.Context, key string, r io.Reader, o PutOptions) (Object, error) {
	kind, err := contentType(o.ContentType)
	if err != nil {
		return Object{}, err
	}
	if o.OnlyNew && s.exists(ctx, key) { // saves sending the content
		return Object{}, ErrExists
	}
	file, err := os.CreateTemp("", "atelier-spool-*")
	if err != nil {
		return Object{}, err
	}
	// The system removes an unlinked file when the process ends. Where an open file
	// cannot be unlinked, it is removed at the end.
	unlinked := os.Remove(file.Name()) == nil
	defer func() {
		file.Close()
		if !unlinked {
			os.Remove(file.Name())
		}
	}()

	// The digest is computed even when the caller does not need it: the request is
	// signed with it.
	size, sum, err := spool(file, source(ctx, r, o.MaxBytes), false)
	if err != nil {
		return Object{}, err
	}
	if o.MaxBytes > 0 && size > o.MaxBytes {
		return Object{}, fmt.Errorf("%w: the limit is %d bytes", ErrTooLarge, o.MaxBytes)
	}
	if o.Check != nil {
		if err := o.Check(io.NewSectionReader(file, 0, size), size, sum); err != nil {
			return Object{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return Object{}, context.Cause(ctx)
	}
	info, err := s.send(ctx, key, io.NewSectionReader(file, 0, size), sum, kind, o.OnlyNew)
	if err != nil {
		if err = s3Error(ctx, err); o.OnlyNew && s.exists(ctx, key) {
			// A service that closes the connection early cannot report the reason.
			err = errors.Join(ErrExists, err)
		}
		return Object{}, err
	}
	if info.LastModified.IsZero() {
		info.LastModified = time.Now() // S3 does not say; Stat does
	}
	return Object{Key: key, Size: size, SHA256: sum, ContentType: kind, ModTime: info.LastModified}, nil
}

func (s *S3) exists(ctx context.Context, key string) bool {
	_, err := s.Stat(ctx, key)
	return err == nil
}

// maxSinglePut is the most that S3 takes in one request.
const maxSinglePut = 5 << 30

// send sends content in one request, whose signature covers its digest. Large
// content goes in parts, several at a time. An object that must be new never goes
// in parts: the client library does not send the condition with the last request.
func (s *S3) send(ctx context.Context, key string, content *io.SectionReader, sum, kind string, onlyNew bool) (minio.UploadInfo, error) {
	o := minio.PutObjectOptions{ContentType: kind, UserMetadata: map[string]string{shaMeta: sum}, PartSize: s.part}
	if onlyNew {
		o.SetMatchETagExcept("*")
	}
	size := content.Size()
	if size <= int64(s.part) || onlyNew && size <= maxSinglePut {
		return s.core.PutObject(ctx, s.bucket, s.name(key), content, size, "", sum, o)
	}
	if onlyNew {
		return minio.UploadInfo{}, fmt.Errorf("%w: S3 takes at most %d bytes under the condition that the object is new", ErrTooLarge, int64(maxSinglePut))
	}
	return s.core.Client.PutObject(ctx, s.bucket, s.name(key), content, size, o)
}

// shaMeta is the metadata, x-amz-meta-sha256, that keeps an object's digest.
// Clients cannot set it: they may send only what was signed.
const shaMeta = "Sha256"

// name is the name that the object of a key has in the bucket.
func (s *S3) name(key string) string { return s.prefix + key }

// Stat implements Store. An object that a client posted with a form has no
// digest.
func (s *S3) Stat(ctx context.Context, key string) (Object, error) {
	if err := CheckKey(key); err != nil {
		return Object{}, err
	}
	info, err := s.core.StatObject(ctx, s.bucket, s.name(key), minio.StatObjectOptions{Checksum: true})
	if err != nil {
		return Object{}, fmt.Errorf("blob: %s: %w", key, s3Error(ctx, err))
	}
	return s3Object(key, info), nil
}

func s3Object(key string, info minio.ObjectInfo) Object {
	return Object{Key: key, Size: info.Size, SHA256: digestOf(info), ContentType: info.ContentType, ModTime: info.LastModified}
}

// digestOf returns the SHA-256 that S3 has checked itself or that Put has stored.
func digestOf(info minio.ObjectInfo) string {
	sum, err := base64.StdEncoding.DecodeString(info.ChecksumSHA256)
	if err == nil && len(sum) == sha256.Size && info.ChecksumMode != minio.ChecksumCompositeMode.String() {
		return hex.EncodeToString(sum)
	}
	return info.UserMetadata[shaMeta]
}

// Delete implements Store.
func (s *S3) Delete(ctx context.Context, key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	err := s.core.RemoveObject(ctx, s.bucket, s.name(key), minio.RemoveObjectOptions{})
	if err = s3Error(ctx, err); err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("blob: delete %s: %w", key, err)
	}
	return nil
}

// Move implements Store. It copies the object, then removes the original.
func (s *S3) Move(ctx context.Context, from, to string) error {
	if from == to {
		_, err := s.Stat(ctx, from)
		return err
	}
	if err := s.Copy(ctx, from, to); err != nil {
		return err
	}
	return s.Delete(ctx, from)
}

// List implements Store.
func (s *S3) List(ctx context.Context, prefix, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if base := prefix[:strings.LastIndexByte(prefix, '/')+1]; base != "" {
			if err := CheckKey(strings.TrimSuffix(base, "/")); err != nil {
				yield(Entry{}, fmt.Errorf("prefix: %w", err))
				return
			}
		}
		walk, stop := context.WithCancel(ctx)
		defer stop()
		o := minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: true}
		if after != "" {
			o.StartAfter = s.prefix + after
		}
		for info := range s.core.ListObjectsIter(walk, s.bucket, o) {
			if ctx.Err() != nil {
				break
			}
			if info.Err != nil {
				yield(Entry{}, fmt.Errorf("blob: list: %w", s3Error(ctx, info.Err)))
				return
			}
			key := strings.TrimPrefix(info.Key, s.prefix)
			if CheckKey(key) != nil {
				continue // not written by Put
			}
			if !yield(Entry{Key: key, Size: info.Size, ModTime: info.LastModified}, nil) {
				return
			}
		}
		if ctx.Err() != nil {
			yield(Entry{}, context.Cause(ctx))
		}
	}
}

// probes is where Ping writes. No key begins like this.
const probes = ".ping/"

// Sync implements Store: what S3 has accepted is durable.
func (s *S3) Sync(context.Context, []string) error { return nil }

// Ping implements Store.
func (s *S3) Ping(ctx context.Context) error {
	name := s.prefix + probes + rand.Text()
	_, err := s.core.Client.PutObject(ctx, s.bucket, name, strings.NewReader("ping\n"), 5, minio.PutObjectOptions{})
	if err == nil {
		err = s.core.RemoveObject(ctx, s.bucket, name, minio.RemoveObjectOptions{})
	}
	if err != nil {
		return fmt.Errorf("blob: storage cannot be written: %w", s3Error(ctx, err))
	}
	return nil
}

// Sweep implements Store. A crash can leave unfinished parts, and the probe of a
// Ping.
func (s *S3) Sweep(ctx context.Context, olderThan time.Time) (int, error) {
	removed, keyMarker, idMarker := 0, "", ""
	for {
		page, err := s.core.ListMultipartUploads(ctx, s.bucket, s.prefix, keyMarker, idMarker, "", 1000)
		if err != nil {
			return removed, fmt.Errorf("blob: sweep: %w", s3Error(ctx, err))
		}
		for _, u := range page.Uploads {
			if !strings.HasPrefix(u.Key, s.prefix) || !u.Initiated.Before(olderThan) {
				continue
			}
			err := s3Error(ctx, s.core.AbortMultipartUpload(ctx, s.bucket, u.Key, u.UploadID))
			switch {
			case err == nil:
				removed++
			case !errors.Is(err, ErrNotFound):
				return removed, fmt.Errorf("blob: sweep: %w", err)
			}
		}
		if !page.IsTruncated || page.NextKeyMarker == "" {
			break
		}
		keyMarker, idMarker = page.NextKeyMarker, page.NextUploadIDMarker
	}
	for info := range s.core.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + probes, Recursive: true}) {
		if info.Err == nil && !info.LastModified.Before(olderThan) {
			continue
		}
		err := info.Err
		if err == nil {
			err = s.core.RemoveObject(ctx, s.bucket, info.Key, minio.RemoveObjectOptions{})
		}
		if err != nil {
			return removed, fmt.Errorf("blob: sweep: %w", s3Error(ctx, err))
		}
		removed++
	}
	return removed, nil
}

// Close implements Store.
func (s *S3) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// s3Error maps errors of S3 to those of this package.
func s3Error(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	r := minio.ToErrorResponse(err)
	switch {
	case r.Code == minio.NoSuchBucket:
		return err
	case r.StatusCode == http.StatusNotFound || r.Code == minio.NoSuchKey:
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case r.StatusCode == http.StatusPreconditionFailed || r.Code == minio.PreconditionFailed:
		return fmt.Errorf("%w: %w", ErrExists, err)
	}
	return s3Outage(err, r)
}
