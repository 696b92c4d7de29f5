package blobtest

import (
	"crypto/rand"
	"net/url"
	"os"
	"testing"

	"github.com/atelier-project/atelier/internal/blob"
)

// S3URL is a storage URL of the S3 server of this run with some settings changed, or skips
// the test without such a server.
func S3URL(t testing.TB, settings ...string) *url.URL {
	t.Helper()
	text := os.Getenv("ATELIER_TEST_S3_URL")
	if text == "" {
		reason := os.Getenv("ATELIER_TEST_S3_SKIP")
		if reason == "" {
			reason = "ATELIER_TEST_S3_URL is not set; make check sets it"
		}
		t.Skip("left out: " + reason)
	}
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal("ATELIER_TEST_S3_URL cannot be read")
	}
	q := u.Query()
	q.Set("prefix", "run/"+rand.Text()) // each storage has its own folder in one bucket
	for i := 0; i < len(settings); i += 2 {
		q.Set(settings[i], settings[i+1])
	}
	u.RawQuery = q.Encode()
	return u
}

// HasS3 reports whether this run has an S3 server, for tests that otherwise use files.
func HasS3() bool { return os.Getenv("ATELIER_TEST_S3_URL") != "" }

// OpenS3 opens an empty storage on the S3 server of this run.
func OpenS3(t testing.TB) *blob.S3 {
	t.Helper()
	s, err := blob.OpenS3(t.Context(), S3URL(t).String())
	if err != nil {
		t.Fatalf("OpenS3: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
