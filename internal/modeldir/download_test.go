package modeldir_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/modeldir"
)

// content is of some length, and no part of it is like another.
var content = func() []byte {
	var b bytes.Buffer
	for i := range 40_000 {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8), 7})
		b.Write(sum[:])
	}
	return b.Bytes()
}()

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// fixture is a stand-in of the sites, a file on it, and who fetches it.
type fixture struct {
	sites *loratest.Sites
	file  modeldir.File
	dir   string
	opts  modeldir.Options
	waits []time.Duration
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{sites: loratest.Serve(t), dir: filepath.Join(t.TempDir(), "models", "vae")}
	f.file = modeldir.File{Folder: "vae", Name: "ae.safetensors", URL: f.sites.AddHubFile("ann/vae", "split/ae.safetensors", content), Page: "https://huggingface.co/ann/vae"}
	f.opts = modeldir.Options{
		Mirror: f.sites.URL, Idle: time.Minute, Free: func(string) (int64, error) { return 1 << 40, nil },
		Wait: func(ctx context.Context, d time.Duration) error {
			f.waits = append(f.waits, d)
			return context.Cause(ctx)
		},
	}
	return f
}

func (f *fixture) download(ctx context.Context, t *testing.T, progress func(int64)) (modeldir.Record, error) {
	t.Helper()
	fetcher, err := modeldir.New(f.opts, []modeldir.File{f.file})
	if err != nil {
		t.Fatal(err)
	}
	facts, err := fetcher.Facts(ctx, f.file)
	if err != nil {
		return modeldir.Record{}, err
	}
	return fetcher.Download(ctx, f.dir, f.file, facts, progress)
}

func (f *fixture) path() string { return filepath.Join(f.dir, f.file.Name) }

// whole checks that the file is there, and nothing but its record beside it.
func (f *fixture) whole(t *testing.T) {
	t.Helper()
	got, err := os.ReadFile(f.path())
	if err != nil || !bytes.Equal(got, content) {
		t.Fatalf("got %d bytes, %v; want %d", len(got), err, len(content))
	}
	var names []string
	entries, _ := os.ReadDir(f.dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := "ae.safetensors ae.safetensors.source.json"; strings.Join(names, " ") != want {
		t.Errorf("the folder has %q, want %q", names, want)
	}
}

func (f *fixture) wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want an error that says %q", err, text)
	}
	if _, err := os.Stat(f.path()); err == nil {
		t.Error("the file has its name although it is not whole")
	}
}

// The site says size and checksum where the catalog does not, and the record keeps them.
func TestDownload(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	last := int64(0)
	r, err := f.download(t.Context(), t, func(n int64) { last = n })
	if err != nil {
		t.Fatal(err)
	}
	f.whole(t)
	if r.SHA256 != sumOf(content) || r.Bytes != int64(len(content)) || r.SaidBy != "127.0.0.1" || last != r.Bytes {
		t.Errorf("record = %+v after %d bytes", r, last)
	}
	if kept, err := modeldir.ReadRecord(f.path()); err != nil || kept != r {
		t.Errorf("kept %+v, %v; want %+v", kept, err, r)
	}
	if with, err := modeldir.Check(t.Context(), f.path(), modeldir.Facts{}, nil); err != nil || with == "" {
		t.Errorf("Check = %q, %v", with, err)
	}
	if err := os.WriteFile(f.path(), append([]byte("x"), content[1:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := modeldir.Check(t.Context(), f.path(), modeldir.Facts{}, nil); err == nil || !strings.Contains(err.Error(), "should have "+sumOf(content)) {
		t.Errorf("Check of a changed file: %v", err)
	}
}

// A connection that breaks is resumed where it broke, and a process that is interrupted leaves
// what the next one continues.
func TestDownloadResumes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.file.Bytes, f.file.SHA256 = int64(len(content)), sumOf(content) // no request for facts
	f.sites.Behave(loratest.StageCDN, loratest.Times(1, loratest.Break(300_000)))
	ctx, stop := context.WithCancelCause(t.Context())
	ended := errors.New("interrupted")
	_, err := f.download(ctx, t, func(n int64) {
		if n > 600_000 {
			stop(ended)
		}
	})
	if !errors.Is(err, ended) {
		t.Fatalf("got %v, want %v", err, ended)
	}
	ranges := f.sites.Ranges()
	if len(ranges) < 2 || ranges[0] != "" || !strings.HasPrefix(ranges[1], "bytes=") {
		t.Fatalf("ranges = %q", ranges)
	}
	arrived := modeldir.Arrived(f.dir, f.file)
	if arrived <= 600_000 {
		t.Fatalf("%d bytes are kept", arrived)
	}
	last := int64(0)
	if _, err := f.download(t.Context(), t, func(n int64) { last = n }); err != nil {
		t.Fatal(err)
	}
	ranges = f.sites.Ranges()
	if want := fmt.Sprintf("bytes=%d-", arrived); ranges[len(ranges)-1] != want || last != int64(len(content)) {
		t.Errorf("the last request was for %q, want %q; it ended at %d", ranges[len(ranges)-1], want, last)
	}
	f.whole(t)
}

// What has arrived of another file is not continued.
func TestDownloadOfAnotherFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.sites.Behave(loratest.StageCDN, loratest.After(1, loratest.Times(1, loratest.Break(200_000)))) // after the facts
	f.opts.Tries = 1
	if _, err := f.download(t.Context(), t, nil); err == nil {
		t.Fatal("a broken download succeeded")
	}
	if modeldir.Arrived(f.dir, f.file) == 0 {
		t.Fatal("nothing is kept")
	}
	f.sites.Behave(loratest.StageCDN, nil)
	old := content
	f.file.URL = f.sites.AddHubFile("ann/vae", "split/ae.safetensors", append([]byte("new"), old...))
	fetcher, err := modeldir.New(f.opts, []modeldir.File{f.file})
	if err != nil {
		t.Fatal(err)
	}
	facts, err := fetcher.Facts(t.Context(), f.file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetcher.Download(t.Context(), f.dir, f.file, facts, nil); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(f.path()); sumOf(got) != facts.SHA256 || len(got) != len(old)+3 {
		t.Errorf("got %d bytes of another file", len(got))
	}
	if ranges := f.sites.Ranges(); ranges[len(ranges)-1] != "" {
		t.Errorf("the last request was for %q", ranges[len(ranges)-1])
	}
}

// A file that is not the one of the catalog, or is damaged on its way, does not get its name.
func TestDownloadIsVerified(t *testing.T) {
	t.Parallel()
	damaged := append([]byte("damaged"), content[7:]...)
	tests := []struct {
		name, want string
		set        func(*fixture)
	}{
		{"another checksum", "than the catalog: its SHA-256 is", func(f *fixture) { f.file.SHA256 = strings.Repeat("ab", 32) }},
		{"another size", "than the catalog: it has", func(f *fixture) { f.file.Bytes = 5 }},
		{"damaged", "is damaged: its SHA-256 is " + sumOf(damaged), func(f *fixture) { f.sites.Behave(loratest.StageCDN, loratest.Replace(damaged)) }},
		{"longer", "more bytes", func(f *fixture) {
			f.file.SHA256 = sumOf(content)
			f.sites.Behave(loratest.StageCDN, loratest.After(1, loratest.Chunked(append(content, content...))))
		}},
		{"a web page", "sent a web page", func(f *fixture) { f.sites.Behave(loratest.StageCDN, loratest.Send("text/html", []byte("<html>"))) }},
		{"gone", "has no ae.safetensors any more", func(f *fixture) { f.file.URL += "x" }},
		{"gated", "read its terms at https://huggingface.co/ann/vae", func(f *fixture) {
			f.sites.AddRepo(loratest.Repo{Name: "ann/vae", Gated: "manual", Files: map[string][]byte{"split/ae.safetensors": content}})
		}},
		{"no size", "how large", func(f *fixture) {
			f.sites.Behave(loratest.StageFile, loratest.Chunked(content))
		}},
		{"down", "gave up after 8 attempts", func(f *fixture) { f.sites.Behave(loratest.StageFile, loratest.Status(503)) }},
		{"another part", "another part of", func(f *fixture) {
			f.opts.Tries = 2
			f.sites.Behave(loratest.StageCDN, loratest.SetHeader("Content-Range", "bytes 5-5/10"))
		}},
		{"a private address", "is not on the public Internet", func(f *fixture) { f.sites.Behave(loratest.StageFile, loratest.Redirect("https://10.0.0.1/x")) }},
		{"without encryption", "is not one that is read from", func(f *fixture) { f.sites.Behave(loratest.StageFile, loratest.Redirect("http://example.com/x")) }},
		{"a full disk", "not enough space on the disk", func(f *fixture) { f.opts.Free = func(string) (int64, error) { return 1 << 20, nil } }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			test.set(f)
			_, err := f.download(t.Context(), t, nil)
			f.wantError(t, err, test.want)
		})
	}
}

// A site that asks for patience gets it, and the pauses of others grow.
func TestDownloadIsPolite(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.sites.Behave(loratest.StageFile, loratest.Times(3, loratest.Status(429))) // Retry-After: 7
	if _, err := f.download(t.Context(), t, nil); err != nil {
		t.Fatal(err)
	}
	f.whole(t)
	if len(f.waits) != 3 || f.waits[0] != 7*time.Second {
		t.Errorf("waited %v", f.waits)
	}
}

// All that is to come must fit, on each disk.
func TestSpace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.opts.Free = func(string) (int64, error) { return 1 << 30, nil }
	fetcher, err := modeldir.New(f.opts, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, b := filepath.Join(f.dir, "not", "there"), t.TempDir()
	if err := fetcher.CheckSpace(map[string]int64{a: 300 << 20, b: 300 << 20}); err != nil {
		t.Error(err)
	}
	if err := fetcher.CheckSpace(map[string]int64{a: 500 << 20, b: 500 << 20}); !errors.Is(err, modeldir.ErrSpace) {
		t.Errorf("got %v, want %v", err, modeldir.ErrSpace)
	}
}
