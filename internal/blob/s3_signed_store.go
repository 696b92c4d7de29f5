package blob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// Form implements SignedStore. S3 has no lists of types: a form without a pinned
// type accepts any file within its size, and S3 stores it without a type. Packages
// above inspect the bytes before they use them.
func (s *S3) Form(ctx context.Context, key string, t FormTerms) (Form, error) {
	if err := CheckKey(key); err != nil {
		return Form{}, err
	}
	p := minio.NewPostPolicy()
	err := errors.Join(p.SetBucket(s.bucket), p.SetKey(s.name(key)), p.SetExpires(t.Until), p.SetContentLengthRange(1, t.MaxBytes))
	if t.ContentType != "" {
		if strings.ContainsAny(t.ContentType, `"\`) { // the client library would not escape it
			err = errors.Join(err, errors.New("the content type cannot be pinned"))
		}
		err = errors.Join(err, p.SetContentType(t.ContentType))
	}
	if err != nil {
		return Form{}, fmt.Errorf("blob: form for %s: %w", key, err)
	}
	u, fields, err := s.core.PresignedPostPolicy(ctx, p)
	if err != nil {
		return Form{}, fmt.Errorf("blob: form for %s: %w", key, err)
	}
	return Form{URL: u.String(), Fields: fields}, nil
}

// PutURL implements SignedStore. The length is signed with the headers, but every HTTP
// client sends it by itself, and browsers let no page set it.
func (s *S3) PutURL(ctx context.Context, key string, t PutTerms) (SignedPut, error) {
	sum, err := checksum(t.SHA256)
	if err != nil {
		return SignedPut{}, err
	}
	headers := map[string]string{"Content-Type": t.ContentType, "If-None-Match": "*", "x-amz-checksum-sha256": sum}
	signed := http.Header{"Content-Length": {strconv.FormatInt(t.Size, 10)}}
	for name, value := range headers {
		signed.Set(name, value)
	}
	u, err := s.presign(ctx, http.MethodPut, key, t.Until, nil, signed)
	return SignedPut{URL: u, Headers: headers}, err
}

// GetURL implements SignedStore. S3 would answer with the type that the uploading
// client gave. That client must not decide what a browser does with the object:
// without a type in the terms, the type follows from the key's extension, and
// browsers save a file that is not media.
func (s *S3) GetURL(ctx context.Context, key string, t GetTerms) (string, error) {
	kind, name := t.ContentType, t.Filename
	if kind == "" {
		kind = mediaTypes[strings.ToLower(path.Ext(key))]
	}
	if name == "" {
		name = path.Base(key)
	}
	q := url.Values{"response-content-disposition": {disposition(kind, name)}, "response-cache-control": {cacheControl(t.Fixed)}}
	if kind != "" {
		q.Set("response-content-type", kind)
	}
	now := s.now()
	if longest := now.Add(maxTerm); t.Until.After(longest) && !t.Until.After(longest.Add(window)) {
		// The time that FixedTerms add exceeds what S3 allows.
		return s.presign(ctx, http.MethodGet, key, longest, q, nil)
	}
	u, err := s.presign(ctx, http.MethodGet, key, t.Until, q, nil)
	since := windowStart(now)
	term := t.Until.Sub(since)
	if err != nil || !t.Fixed || term > maxTerm {
		return u, err
	}
	// The library signs with the time of this second. Signed with the beginning of
	// the window instead, the URL is the same until the window ends.
	return s.signGet(u, since, term)
}

// mediaTypes are the extensions that keys of media end in.
var mediaTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif",
	".mp4": "video/mp4", ".mov": "video/quicktime", ".webm": "video/webm",
	".m4a": "audio/mp4", ".mp3": "audio/mpeg", ".flac": "audio/flac", ".wav": "audio/wav",
	".glb": "model/gltf-binary",
}

// maxTerm is the longest that S3 lets a signature of a URL last.
const maxTerm = 7 * 24 * time.Hour

func (s *S3) presign(ctx context.Context, method, key string, until time.Time, q url.Values, h http.Header) (string, error) {
	if err := CheckKey(key); err != nil {
		return "", err
	}
	for {
		// The client library signs with its own time, in whole seconds. When
		// signing ends in the second in which it began, the terms end at until and
		// not a second later.
		now := time.Now().Unix()
		term := time.Duration(until.Unix()-now) * time.Second
		if term < time.Second || term > maxTerm {
			return "", fmt.Errorf("blob: sign %s: the terms end in %v; S3 allows from 1s to %v", key, term, maxTerm)
		}
		u, err := s.core.PresignHeader(ctx, method, s.bucket, s.name(key), term, q, h)
		if err != nil {
			return "", fmt.Errorf("blob: sign %s: %w", key, err)
		}
		if time.Now().Unix() == now {
			return u.String(), nil
		}
	}
}

// Copy implements SignedStore. The bytes do not pass through this process. Type and
// digest are set again: not every compatible service copies them.
func (s *S3) Copy(ctx context.Context, from, to string) error {
	if err := CheckKey(to); err != nil {
		return err
	}
	o, err := s.Stat(ctx, from)
	if err != nil || from == to {
		return err
	}
	source := minio.CopySrcOptions{Bucket: s.bucket, Object: s.name(from)}
	target := minio.CopyDestOptions{Bucket: s.bucket, Object: s.name(to), ReplaceMetadata: true, ContentType: o.ContentType}
	if o.SHA256 != "" {
		target.UserMetadata = map[string]string{shaMeta: o.SHA256}
	}
	if o.Size <= maxSinglePut {
		_, err = s.core.Client.CopyObject(ctx, target, source)
	} else {
		_, err = s.core.ComposeObject(ctx, target, source)
	}
	if err != nil {
		return fmt.Errorf("blob: copy %s: %w", from, s3Error(ctx, err))
	}
	return nil
}

// KeyOf implements SignedStore.
func (s *S3) KeyOf(raw string) (string, bool) {
	end := s.core.EndpointURL()
	inPath := end.Scheme + "://" + end.Host + "/" + s.bucket + "/" + s.prefix
	inHost := end.Scheme + "://" + s.bucket + "." + end.Host + "/" + s.prefix
	if key, found := keyBeneath(raw, inPath); found {
		return key, true
	}
	return keyBeneath(raw, inHost)
}
