package blob

import (
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// signers are signed stores that need no server, two of each kind, as two nodes
// have them.
func signers(t *testing.T, now func() time.Time) map[string][2]SignedStore {
	t.Helper()
	out := map[string][2]SignedStore{}
	for i := range 2 {
		client, err := minio.New("s3.example.com", &minio.Options{
			Creds: credentials.NewStaticV4("access", "secret", ""), Secure: true, Region: "us-east-1",
		})
		if err != nil {
			t.Fatal(err)
		}
		disk, err := OpenDisk(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = disk.Close() })
		server, s3 := out["disk"], out["s3"]
		server[i] = NewDiskServer(disk, DiskServerOptions{Secrets: []string{"secret"}, URL: "https://example.com/storage", Now: now})
		s3[i] = &S3{core: minio.Core{Client: client}, bucket: "media", now: now}
		out["disk"], out["s3"] = server, s3
	}
	return out
}

// The URL of an object is the same for minutes, on every node, and is always valid
// for as long as was promised.
func TestURLsAreStable(t *testing.T) {
	t.Parallel()
	const promised = 48 * time.Hour
	start := time.Now().UTC().Truncate(window).Add(12 * window) // the client library of an S3 would sign with the real time
	now := start
	for name, nodes := range signers(t, func() time.Time { return now }) {
		sign := func(node int, after time.Duration) string {
			now = start.Add(after)
			u, err := nodes[node].GetURL(t.Context(), "results/ab/fox-1.png", FixedTerms(now, promised))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if at := signedAt(t, u); name == "s3" && !at.Equal(windowStart(now)) {
				t.Errorf("%s: signed %v into a window as of %v, want the beginning, %v", name, after, at, windowStart(now))
			}
			if left := endOf(t, u).Sub(now); left < promised || left > promised+window {
				t.Errorf("%s: a URL signed %v into a window is valid for %v, want %v and at most %v more", name, after, left, promised, window)
			}
			return u
		}
		first := sign(0, 0)
		for _, after := range []time.Duration{time.Nanosecond, 17 * time.Second, window - time.Nanosecond} {
			if got := sign(1, after); got != first {
				t.Errorf("%s: %v into the window another node signs\n%s, want\n%s", name, after, got, first)
			}
		}
		if got := sign(0, window); got == first {
			t.Errorf("%s: the URL never changes: %s", name, got)
		}
	}
}

// endOf reads when a signed URL ends.
func endOf(t *testing.T, raw string) time.Time {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if until := q.Get("until"); until != "" {
		n, err := strconv.ParseInt(until, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return time.Unix(n, 0)
	}
	n, err := strconv.Atoi(q.Get("X-Amz-Expires"))
	if err != nil {
		t.Fatal(err)
	}
	return signedAt(t, raw).Add(time.Duration(n) * time.Second)
}

// signedAt reads as of when a URL of an S3 was signed; zero for other URLs.
func signedAt(t *testing.T, raw string) (at time.Time) {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if text := u.Query().Get("X-Amz-Date"); text != "" {
		if at, err = time.Parse("20060102T150405Z", text); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

// What S3 allows at most is not refused for the rest of a window, also of an object that is
// written to again.
func TestTheLongestTermOfS3(t *testing.T) {
	t.Parallel()
	now := time.Now()
	store := signers(t, func() time.Time { return now })["s3"][0]
	for _, isFixed := range []bool{true, false} {
		terms := FixedTerms(now, maxTerm)
		terms.Fixed = isFixed
		u, err := store.GetURL(t.Context(), "a.png", terms)
		if err != nil {
			t.Fatal(err)
		}
		if left := endOf(t, u).Sub(now); left < maxTerm-time.Second || left > maxTerm+time.Second {
			t.Errorf("fixed %v: the URL is valid for %v, want %v", isFixed, left, maxTerm)
		}
	}
}
