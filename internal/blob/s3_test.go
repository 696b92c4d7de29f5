package blob_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/blob/blobtest"
)

// The server of the tests keeps objects as files.
func TestS3(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blob.Store { return blobtest.OpenS3(t) }, blobtest.Flat)
}

func TestS3SignedStore(t *testing.T) {
	t.Parallel()
	blobtest.RunSigned(t, func(t *testing.T) blobtest.Served {
		wait := func(_ *testing.T, until time.Time) { time.Sleep(time.Until(until) + 150*time.Millisecond) }
		return blobtest.Served{SignedStore: blobtest.OpenS3(t), S3: true, Wait: wait, Now: time.Now}
	})
}

// Two stores in one bucket do not see each other.
func TestS3Prefix(t *testing.T) {
	t.Parallel()
	one, two := blobtest.OpenS3(t), blobtest.OpenS3(t)
	put(t, one, "a/b", "one")
	put(t, two, "a/b", "two")
	if err := two.Delete(t.Context(), "a/b"); err != nil {
		t.Fatal(err)
	}
	if o, err := one.Stat(t.Context(), "a/b"); err != nil || o.Key != "a/b" {
		t.Errorf("Stat = %+v, %v; want it still there", o, err)
	}
	for e := range two.List(t.Context(), "", "") {
		t.Errorf("the other store lists %s", e.Key)
	}
}

func TestS3MakesItsBucket(t *testing.T) {
	t.Parallel()
	u := blobtest.S3URL(t)
	u.Host = "atelier-" + strings.ToLower(rand.Text())
	for range 2 {
		s, err := blob.OpenS3(t.Context(), u.String())
		if err != nil {
			t.Fatalf("OpenS3: %v", err)
		}
		put(t, s, "a", "x")
		s.Close()
	}
}

// A check writes and creates nothing that stays.
func TestCheckS3(t *testing.T) {
	t.Parallel()
	u := blobtest.S3URL(t)
	u.Host = "atelier-" + strings.ToLower(rand.Text())
	for range 2 {
		if err := blob.CheckS3(t.Context(), u.String()); !errors.Is(err, blob.ErrNoBucket) {
			t.Fatalf("without a bucket: got %v", err)
		}
	}
	s, err := blob.OpenS3(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := blob.CheckS3(t.Context(), u.String()); err != nil {
		t.Errorf("with its bucket: got %v", err)
	}
	for e := range s.List(t.Context(), "", "") {
		t.Errorf("it left %s", e.Key)
	}
}

func TestS3RefusesWrongCredentials(t *testing.T) {
	t.Parallel()
	u := blobtest.S3URL(t)
	u.User = url.UserPassword("unknown", "a-wrong-password")
	_, err := blob.OpenS3(t.Context(), u.String())
	if err == nil || strings.Contains(err.Error(), "a-wrong-password") || !strings.Contains(err.Error(), u.Host) {
		t.Errorf("OpenS3 = %v; want an error that names the bucket and no password", err)
	}
}

// Credentials may be in the URL.
func TestS3CredentialsInURL(t *testing.T) {
	u := blobtest.S3URL(t, "prefix", "run/"+rand.Text())
	if u.User == nil {
		u.User = url.UserPassword(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"))
		t.Setenv("AWS_ACCESS_KEY_ID", "")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	}
	s, err := blob.OpenS3(t.Context(), u.String())
	if err != nil {
		t.Fatalf("OpenS3: %v", err)
	}
	defer s.Close()
	put(t, s, "a", "x")
}

func TestS3URL(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	for raw, want := range map[string]string{
		"s3://bucket?endpoint=http://localhost:1":                                 "no S3 credentials",
		"s3://user@bucket?endpoint=http://localhost:1":                            "no S3 credentials",
		"s3://u:secret-word@bucket?endpoint=http://localhost:1&colour=red":        `unknown setting "colour"`,
		"s3://u:secret-word@bucket?endpoint=http://localhost:1&region=a&region=b": "region twice",
		"s3://u:secret-word@bucket?endpoint=localhost:1":                          "endpoint",
		"s3://u:secret-word@bucket?endpoint=ftp://localhost":                      "endpoint",
		"s3://u:secret-word@bucket?endpoint=http://localhost:1/path":              "endpoint",
		"s3://u:secret-word@bucket?endpoint=http://a:secret-word@localhost":       "endpoint",
		"s3://u:secret-word@bucket/folder?endpoint=http://localhost:1":            "prefix=",
		"s3://u:secret-word@bucket?endpoint=http://localhost:1&prefix=../up":      "prefix",
		"s3://u:secret-word@bucket?endpoint=http://localhost:1&path_style=yes":    "path_style",
		"http://u:secret-word@bucket":                                             "s3://bucket",
		"s3://u:secret-word@?endpoint=http://localhost:1":                         "s3://bucket",
		"s3://u:secret-word@buc ket":                                              "cannot be read",
		"s3://u:secret-word@bucket?endpoint=http://localhost:1&region=%zz":        "cannot be read",
		"s3://u:secret-word@bucket?endpoint=http://localhost:1#x":                 "fragment",
	} {
		s, err := blob.OpenS3(t.Context(), raw)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret-word") {
			t.Errorf("OpenS3(%q) = %v; want an error that says %q and no password", raw, err, want)
		}
	}
}

// Large content goes in parts, and comes back as one object with one digest.
func TestS3Parts(t *testing.T) {
	t.Parallel()
	s := blobtest.OpenS3(t)
	s.SendInPartsOf(5 << 20)
	content := make([]byte, 11<<20)
	_, _ = rand.Read(content)
	sum := sha256.Sum256(content)
	if _, err := s.Put(t.Context(), "large", bytes.NewReader(content), blob.PutOptions{ContentType: "video/mp4"}); err != nil {
		t.Fatalf("Put: %v", err)
	}
	r, o, err := s.Open(t.Context(), "large")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if o.SHA256 != hex.EncodeToString(sum[:]) || o.Size != int64(len(content)) || o.ContentType != "video/mp4" {
		t.Errorf("Open = %+v", o)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content) {
		t.Errorf("read %d bytes, %v; want what was put", len(got), err)
	}
	if err := s.Copy(t.Context(), "large", "copy"); err != nil {
		t.Errorf("Copy: %v", err)
	}
	if o, err := s.Stat(t.Context(), "copy"); err != nil || o.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("Stat of the copy = %+v, %v", o, err)
	}
	_, err = s.Put(t.Context(), "large", bytes.NewReader(content), blob.PutOptions{OnlyNew: true})
	if !errors.Is(err, blob.ErrExists) {
		t.Errorf("Put of what is there = %v, want ErrExists", err)
	}
}

func TestS3Sweep(t *testing.T) {
	t.Parallel()
	s, other := blobtest.OpenS3(t), blobtest.OpenS3(t)
	put(t, s, "a/stays", "x")
	for _, err := range []error{
		s.Abandon(t.Context(), "a/one"), s.Abandon(t.Context(), "a/two"), s.ForgetPing(t.Context()), other.Abandon(t.Context(), "a/one"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Sweep(t.Context(), time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("Sweep of what is older = %d, %v; want 0", n, err)
	}
	if n, err := s.Sweep(t.Context(), time.Now().Add(time.Hour)); n != 3 || err != nil {
		t.Errorf("Sweep = %d, %v; want 3", n, err)
	}
	if n, err := s.Sweep(t.Context(), time.Now().Add(time.Hour)); n != 0 || err != nil {
		t.Errorf("Sweep again = %d, %v; want 0", n, err)
	}
	if n, err := other.Sweep(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("Sweep of the other = %d, %v; want 1: the first must not touch it", n, err)
	}
	if _, err := s.Stat(t.Context(), "a/stays"); err != nil {
		t.Errorf("Stat: %v", err)
	}
}

// Reading continues when the object is replaced, but seeking would mix two.
func TestS3SeekAfterReplace(t *testing.T) {
	t.Parallel()
	s := blobtest.OpenS3(t)
	put(t, s, "a", "first content")
	r, _, err := s.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	put(t, s, "a", "other content")
	if _, err := r.Seek(3, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("read %q, %v; want ErrNotFound", b, err)
	}
}

// A put signs its length too.
func TestS3SignsLengthAndTerm(t *testing.T) {
	t.Parallel()
	s := blobtest.OpenS3(t)
	terms := blob.PutTerms{ContentType: "image/png", Size: 5, SHA256: strings.Repeat("ab", 32), Until: time.Now().Add(time.Hour)}
	p, err := s.PutURL(t.Context(), "a", terms)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	if got := u.Query().Get("X-Amz-SignedHeaders"); got != "content-length;content-type;host;if-none-match;x-amz-checksum-sha256" {
		t.Errorf("signed headers = %s", got)
	}
	for _, until := range []time.Time{time.Now().Add(-time.Hour), time.Now(), time.Now().Add(8 * 24 * time.Hour)} {
		if _, err := s.GetURL(t.Context(), "a", blob.GetTerms{Until: until}); err == nil {
			t.Errorf("GetURL until %v = nil error", until)
		}
	}
}

// What a Put spools is gone when it ends, however it ends.
func TestS3LeavesNoSpool(t *testing.T) {
	s := blobtest.OpenS3(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	put(t, s, "a", "x")
	if _, err := s.Put(t.Context(), "a", failing{errors.New("bad")}, blob.PutOptions{}); err == nil {
		t.Error("Put of a failing source = nil error")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
