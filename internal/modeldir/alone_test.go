package modeldir_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/lora/loratest"
)

// both applies two behaviours.
func both(a, b loratest.Behaviour) loratest.Behaviour {
	return func(next http.Handler) http.Handler { return a(b(next)) }
}

// rude sends the part that is asked for also when it is of another version than the one asked for.
func rude(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("If-Range")
		next.ServeHTTP(w, r)
	})
}

// Two versions of a file are never joined: where no checksum is known, the ETag tells them apart, and
// where that is missing too, the download begins again.
func TestVersionsAreNotJoined(t *testing.T) {
	t.Parallel()
	newer := slices.Repeat([]byte("newer bytes, "), len(content))[:len(content)]
	for name, answers := range map[string]loratest.Behaviour{
		"no ETag":      loratest.SetHeader("ETag", ""),
		"another ETag": rude,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.sites.Behave(loratest.StageFile, loratest.SetHeader("X-Linked-Etag", ""))
			broken, replaced := loratest.After(1, loratest.Times(1, loratest.Break(200_000))), loratest.After(2, loratest.Replace(newer))
			f.sites.Behave(loratest.StageCDN, both(answers, both(broken, replaced)))
			r, err := f.download(t.Context(), t, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.SHA256 != sumOf(newer) {
				t.Errorf("the file has the SHA-256 %s, want %s: it is joined from two versions", r.SHA256, sumOf(newer))
			}
		})
	}
}

// A site that never gets further than before is given up, also when each attempt begins at the start.
func TestDownloadGivesUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.sites.Behave(loratest.StageFile, loratest.SetHeader("X-Linked-Etag", ""))
	f.sites.Behave(loratest.StageCDN, loratest.After(1, both(loratest.SetHeader("ETag", ""), loratest.Break(200_000))))
	_, err := f.download(t.Context(), t, nil)
	f.wantError(t, err, "gave up after 8 attempts")
}

// Of two downloads of a file one writes it, and the other waits and takes what it leaves: the whole
// file, or the part to continue.
func TestDownloadsMeet(t *testing.T) {
	t.Parallel()
	tests := map[string]error{"the first one ends": nil, "the first one is interrupted": errors.New("interrupted")}
	for name, interrupted := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.file.Bytes, f.file.SHA256 = int64(len(content)), sumOf(content) // no request for facts
			waiting, ended := make(chan struct{}), make(chan struct{})
			second := *f
			second.opts.Wait = func(context.Context, time.Duration) error {
				close(waiting)
				<-ended
				return nil
			}
			first, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			other := make(chan error, 1)
			begun := false
			_, err := f.download(first, t, func(n int64) {
				if begun || n < 600_000 {
					return
				}
				begun = true
				go func() {
					_, err := second.download(t.Context(), t, nil)
					other <- err
				}()
				<-waiting
				if interrupted != nil {
					stop(interrupted)
				}
			})
			close(ended)
			if !errors.Is(err, interrupted) {
				t.Fatalf("the first one: %v, want %v", err, interrupted)
			}
			if err := <-other; err != nil {
				t.Fatal(err)
			}
			f.whole(t)
			ranges := f.sites.Ranges()
			if begins := strings.Count(strings.Join(ranges, ",")+",", ","); interrupted == nil && begins != 1 || interrupted != nil && (begins != 2 || ranges[1] == "") {
				t.Errorf("the storage was asked for %q", ranges)
			}
		})
	}
}

// A download that is given up while it waits says for what it waited.
func TestDownloadWaits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tried := false
	if _, err := f.download(t.Context(), t, func(int64) {
		if tried {
			return
		}
		tried = true
		ended, stop := context.WithCancel(t.Context())
		second := *f
		second.opts.Wait = func(ctx context.Context, _ time.Duration) error { stop(); return context.Cause(ctx) }
		_, err := second.download(ended, t, nil)
		f.wantError(t, err, "another process is downloading ae.safetensors")
	}); err != nil {
		t.Fatal(err)
	}
	f.whole(t)
}
