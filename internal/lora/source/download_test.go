package source_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/lora/source"
	"github.com/atelier-project/atelier/internal/pipetest"
	"github.com/atelier-project/atelier/internal/worktest"
)

// world has both sites in memory, where time costs nothing.
type world struct {
	*loratest.Sites
	*source.Sources
	declared source.Pin // of the hub, with a size and a checksum
	plain    source.Pin // the same file of a mirror that declares neither
	rounded  source.Pin // the same file of the other site, with a size and no checksum
}

// inWorld runs a test in a separate bubble.
func inWorld(t *testing.T, o source.Options, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := pipetest.Listen()
		w := &world{Sites: loratest.NewSites()}
		server := &http.Server{Handler: w.Sites}
		go server.Serve(l)
		defer server.Close()
		if o.Dial == nil {
			o.Dial = l.Dial
		} else {
			dial := o.Dial
			o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				if address == "127.0.0.1:80" {
					return l.Dial(ctx, network, address)
				}
				return dial(ctx, network, address)
			}
		}
		w.Sources = newSources(t, "http://127.0.0.1", o)
		w.AddRepo(loratest.Repo{Name: "owner/mirrored", Files: map[string][]byte{"lora.safetensors": content}, Unsized: true})
		w.AddModel(loratest.Model{ID: 1, Versions: []loratest.Version{{ID: 10, Files: []loratest.VersionFile{{Primary: true, Content: content, SHA256: "-", SizeKB: 976}}}}})
		for link, pin := range map[string]*source.Pin{
			w.AddHubFile("owner/repo", "lora.safetensors", content): &w.declared,
			hub + "/owner/mirrored/resolve/main/lora.safetensors":   &w.plain,
			civitai + "/models/1": &w.rounded,
		} {
			var err error
			if *pin, err = resolve(t, w.Sources, link); err != nil {
				t.Fatal(err)
			}
		}
		test(t, w)
	})
}

func TestDownload(t *testing.T) {
	t.Parallel()
	inWorld(t, source.Options{}, func(t *testing.T, w *world) {
		for _, p := range []source.Pin{w.declared, w.plain, w.rounded} {
			var b bytes.Buffer
			var last int64
			err := w.Download(t.Context(), p, &b, func(done, total int64) {
				if done <= last || done != int64(b.Len()) || total != contentSize {
					t.Errorf("progress(%d, %d) after %d, with %d bytes written", done, total, last, b.Len())
				}
				last = done
			})
			if err != nil || !bytes.Equal(b.Bytes(), content) || last != contentSize {
				t.Errorf("%d bytes, %v", b.Len(), err)
			}
		}
		if !slices.Equal(w.Ranges(), []string{"", "", ""}) || w.Count(loratest.StageFile) != 3 {
			t.Errorf("ranges = %q", w.Ranges())
		}
	})
}

// A download continues where it broke, and a number of times.
func TestDownloadResumed(t *testing.T) {
	t.Parallel()
	inWorld(t, source.Options{}, func(t *testing.T, w *world) {
		for name, p := range map[string]source.Pin{"declared": w.declared, "plain": w.plain, "rounded": w.rounded} {
			before := len(w.Ranges())
			w.Behave(loratest.StageCDN, loratest.Times(3, loratest.Break(300_000)))
			w.Behave(loratest.StageFile, loratest.After(1, loratest.Times(1, loratest.Status(503))))
			var b bytes.Buffer
			if err := w.Download(t.Context(), p, &b, nil); err != nil || !bytes.Equal(b.Bytes(), content) {
				t.Errorf("%s: %d bytes, %v", name, b.Len(), err)
			}
			if got := w.Ranges()[before:]; !slices.Equal(got, []string{"", "bytes=300000-", "bytes=600000-", "bytes=900000-"}) {
				t.Errorf("%s: ranges = %q", name, got)
			}
		}
		w.Behave(loratest.StageFile, nil)
		w.Behave(loratest.StageCDN, loratest.Break(1000))
		before := w.Count(loratest.StageCDN)
		wantError(t, w.Download(t.Context(), w.declared, io.Discard, nil), source.Transient, "the connection failed")
		if n := w.Count(loratest.StageCDN) - before; n != 9 {
			t.Errorf("%d requests were made, want 9", n)
		}
	})
	inWorld(t, source.Options{Resumptions: -1}, func(t *testing.T, w *world) {
		w.Behave(loratest.StageCDN, loratest.Break(1000))
		wantError(t, w.Download(t.Context(), w.declared, io.Discard, nil), source.Transient, "the connection failed")
		if n := w.Count(loratest.StageCDN); n != 1 {
			t.Errorf("%d requests were made, want 1", n)
		}
	})
}

// Whatever a site sends, a download ends in time and reports what is wrong.
func TestDownloadRefused(t *testing.T) {
	t.Parallel()
	other := bytes.Repeat([]byte("x"), contentSize)
	broken := func(then loratest.Behaviour) loratest.Behaviour { // once, and then it behaves in another way
		once := loratest.Times(1, loratest.Break(1000))
		later := loratest.After(1, then)
		return func(next http.Handler) http.Handler { return once(later(next)) }
	}
	untagged := func(b loratest.Behaviour) loratest.Behaviour {
		return func(next http.Handler) http.Handler { return loratest.SetHeader("ETag", "")(b(next)) }
	}
	const declared, plain, rounded = "declared", "plain", "rounded"
	for name, test := range map[string]struct {
		at    loratest.Stage
		how   loratest.Behaviour
		pin   string
		why   source.Reason // empty: it succeeds
		says  string
		limit time.Duration // no time passes when it is zero
	}{
		"no such file":         {loratest.StageFile, loratest.Status(404), declared, source.Access, "no such model or file", 0},
		"gone from storage":    {loratest.StageCDN, loratest.Status(410), declared, source.Access, "no such model or file", 0},
		"private":              {loratest.StageFile, loratest.Status(401), declared, source.Access, "private or gated", 0},
		"gated":                {loratest.StageFile, loratest.Status(403), declared, source.Access, "private or gated", 0},
		"a login":              {loratest.StageFile, loratest.Redirect("/login?returnUrl=secret"), rounded, source.Access, "asks for a login", 0},
		"too many requests":    {loratest.StageFile, loratest.Status(429), declared, source.Transient, "status 429", 32 * time.Second},
		"a failing site":       {loratest.StageCDN, loratest.Status(500), declared, source.Transient, "status 500", 32 * time.Second},
		"a failure at first":   {loratest.StageCDN, loratest.Times(2, loratest.Status(500)), declared, "", "", 3 * time.Second},
		"a page":               {loratest.StageCDN, loratest.Send("text/html", []byte("<html>")), declared, source.Rejected, "a web page", 0},
		"an archive":           {loratest.StageCDN, loratest.Send("application/zip", []byte("PK\x03\x04")), declared, source.Rejected, "has 4 bytes, and 1000000 are declared", 0},
		"compressed":           {loratest.StageCDN, loratest.Gzip(content), declared, source.Rejected, "compressed", 0},
		"no content":           {loratest.StageCDN, loratest.Status(204), declared, source.Rejected, "status 204", 0},
		"half a file":          {loratest.StageCDN, loratest.Status(206), declared, source.Rejected, "status 206", 0},
		"another file":         {loratest.StageCDN, loratest.Replace(other), declared, source.Rejected, "checksum", 0},
		"a shorter file":       {loratest.StageCDN, loratest.Replace(content[:contentSize-1]), declared, source.Rejected, "has 999999 bytes, and 1000000 are declared", 0},
		"a longer file":        {loratest.StageCDN, loratest.Replace(append(content, 0)), declared, source.Rejected, "has 1000001 bytes, and 1000000 are declared", 0},
		"rounded kilobytes":    {loratest.StageCDN, loratest.Replace(content[:contentSize-300]), rounded, "", "", 0},
		"other kilobytes":      {loratest.StageCDN, loratest.Replace(content[:contentSize-2000]), rounded, source.Rejected, "are declared", 0},
		"too large":            {loratest.StageCDN, loratest.Replace(make([]byte, 3_000_000)), plain, source.Access, "larger than 2000000 bytes", 0},
		"without a length":     {loratest.StageCDN, loratest.Chunked(content), declared, "", "", 0},
		"without any length":   {loratest.StageCDN, loratest.Chunked(content), plain, "", "", 0},
		"fewer than declared":  {loratest.StageCDN, loratest.Chunked(content[:99]), declared, source.Rejected, "fewer bytes", 0},
		"more than declared":   {loratest.StageCDN, loratest.Chunked(append(content, 0)), declared, source.Rejected, "more bytes", 0},
		"endless":              {loratest.StageCDN, loratest.Endless(), declared, source.Rejected, "more bytes", 0},
		"endless and unknown":  {loratest.StageCDN, loratest.Endless(), plain, source.Access, "larger than 2000000 bytes", 0},
		"endless at the API":   {loratest.StageFile, loratest.Endless(), plain, source.Access, "larger than 2000000 bytes", 0},
		"no answer":            {loratest.StageFile, loratest.Hang(), declared, source.Transient, "did not answer in time", 167 * time.Second},
		"no content in time":   {loratest.StageCDN, loratest.Drip(contentSize, 1, time.Hour), declared, source.Transient, "did not answer in time", 167 * time.Second},
		"a byte a second":      {loratest.StageCDN, loratest.Drip(contentSize, 1, time.Second), declared, source.Transient, "too slowly", 62 * time.Second},
		"a block at times":     {loratest.StageCDN, loratest.Drip(contentSize, 100_000, 14*time.Second), declared, source.Transient, "too slowly", 71 * time.Second},
		"slow, but not too":    {loratest.StageCDN, loratest.Drip(contentSize, 100_000, 6*time.Second), declared, "", "", time.Minute},
		"changed":              {loratest.StageCDN, broken(loratest.Replace(other)), plain, source.Rejected, "changed", time.Second},
		"changed, same length": {loratest.StageCDN, broken(loratest.Replace(other)), declared, source.Rejected, "checksum", time.Second},
		"changed in length":    {loratest.StageCDN, broken(loratest.Replace(other[:2000])), declared, source.Rejected, "are declared", time.Second},
		"changed, without tag": {loratest.StageCDN, untagged(broken(loratest.Replace(other[:2000]))), plain, source.Rejected, "changed", time.Second},
		"cut":                  {loratest.StageCDN, broken(loratest.Replace(other[:500])), declared, source.Rejected, "shorter than it was", time.Second},
		"broken and unknown":   {loratest.StageCDN, func(next http.Handler) http.Handler { return loratest.Break(1000)(loratest.Chunked(content)(next)) }, plain, source.Transient, "the connection failed", 0},
		"another tag":          {loratest.StageCDN, broken(loratest.SetHeader("ETag", `"another"`)), plain, source.Rejected, "changed", time.Second},
		"no ranges":            {loratest.StageCDN, broken(loratest.Send("application/octet-stream", content)), declared, source.Transient, "cannot be resumed", 32 * time.Second},
		"another range":        {loratest.StageCDN, broken(loratest.SetHeader("Content-Range", "bytes 0-999999/1000000")), declared, source.Rejected, "another part", time.Second},
		"a shorter range":      {loratest.StageCDN, broken(loratest.SetHeader("Content-Range", "bytes 1000-1999/1000000")), declared, source.Rejected, "another part", time.Second},
		"an odd range":         {loratest.StageCDN, broken(loratest.SetHeader("Content-Range", "bytes */1000000")), declared, source.Rejected, "another part", time.Second},
		"no range":             {loratest.StageCDN, broken(loratest.SetHeader("Content-Range", "")), declared, source.Rejected, "another part", time.Second},
		"an endless redirect":  {loratest.StageFile, loratest.Redirect("/owner/repo/resolve/main/secret"), declared, source.Rejected, "redirects more than 5 times", 0},
		"a redirect inside":    {loratest.StageFile, loratest.Redirect("http://10.0.0.1/secret"), declared, source.Rejected, `"10.0.0.1" is not one that is read from`, 0},
		"another port":         {loratest.StageFile, loratest.Redirect("http://127.0.0.1:81/secret"), declared, source.Rejected, "is not one that is read from", 0},
		"a redirect nowhere":   {loratest.StageFile, loratest.Redirect(""), declared, source.Rejected, "status 302", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, source.Options{MaxBytes: 2_000_000}, func(t *testing.T, w *world) {
				w.Behave(test.at, test.how)
				began := time.Now()
				var written int64
				pin := map[string]source.Pin{declared: w.declared, plain: w.plain, rounded: w.rounded}[test.pin]
				err := w.Download(t.Context(), pin, io.Discard, func(done, _ int64) { written = done })
				if test.why == "" {
					if err != nil || written < contentSize-300 {
						t.Errorf("%d bytes, %v", written, err)
					}
				} else {
					wantError(t, err, test.why, test.says)
				}
				if took := time.Since(began); took > test.limit {
					t.Errorf("it took %v, want %v at most", took, test.limit)
				}
				if written > 2_000_000 {
					t.Errorf("%d bytes were written", written)
				}
			})
		})
	}
}

// No answer takes more memory than it may. It is measured while no other test runs.
func TestMemory(t *testing.T) {
	inWorld(t, source.Options{MaxBytes: 4 << 20}, func(t *testing.T, w *world) {
		limit := func(name string, most uint64, run func()) {
			if n := worktest.Allocated(run); n > most {
				t.Errorf("%s: %d bytes were allocated, want %d at most", name, n, most)
			}
		}
		items := strings.Repeat("{},", 60_000) + "{}"
		for link, answer := range map[string]string{
			hub + "/owner/repo/resolve/main/lora.safetensors": `{"sha":"` + loratest.Commit("") + `","siblings":[` + items + `]}`,
			civitai + "/models/1":                             `{"id":1,"type":"LORA","modelVersions":[` + items + `]}`,
			civitai + "/models/1?modelVersionId=10":           `{"id":1,"type":"LORA","modelVersions":[{"id":10,"files":[` + items + `]}]}`,
			civitai + "/api/download/models/10":               `{"id":10,"modelId":1,"model":{"type":"LORA"},"files":[` + items + `]}`,
		} {
			w.Behave(loratest.StageAPI, loratest.Send("application/json", []byte(answer)))
			limit(link, 16<<20, func() {
				_, err := resolve(t, w.Sources, link)
				wantError(t, err, source.Access, "lists too much")
			})
		}
		w.Behave(loratest.StageAPI, loratest.Endless())
		limit("an answer", 48<<20, func() {
			_, err := resolve(t, w.Sources, civitai+"/models/1")
			wantError(t, err, source.Access, "lists too much")
		})
		w.Behave(loratest.StageCDN, loratest.Endless())
		limit("a file", 1<<20, func() {
			wantError(t, w.Download(t.Context(), w.plain, io.Discard, nil), source.Access, "larger than 4194304 bytes")
		})
		w.Behave(loratest.StageCDN, loratest.Break(100))
		limit("many attempts", 4<<20, func() {
			wantError(t, w.Download(t.Context(), w.plain, io.Discard, nil), source.Transient, "the connection failed")
		})
	})
}

// A site redirects to its own storage over HTTPS, and nowhere else.
func TestStorageHosts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		o                  source.Options
		hub, civitai, none []string
	}{
		"known": {
			hub: []string{"https://cdn-lfs.huggingface.co/a", "https://cdn-lfs-us-1.hf.co/a", "https://cas-bridge.xethub.hf.co/a", "https://us.aws.cdn.hf.co:443/a", "https://CDN-LFS.hf.co/a", "https://huggingface.co/a"},
			civitai: []string{
				"https://b2.civitai.com/file/a", "https://civitai-delivery-worker-prod.5ac0637cfd0766c97916cefa3764fbdf.r2.cloudflarestorage.com/a",
				"https://s3.us-west-004.backblazeb2.com/a", "https://civitai.red/a",
			},
			none: []string{
				"http://cdn-lfs.hf.co/a", "http://cdn-lfs.hf.co:443/a", "https://cdn-lfs.hf.co:8443/a", "https://hf.co.evil.example/a", "https://evilhf.co/a", "https://evil.r2.cloudflarestorage.com/a",
				"https://notcivitai.com/a", "https://127.0.0.1/a", "https://localhost/a", "https://hf.co./a", "https://cdn-lfs.hf.co.:443/a",
			},
		},
		"configured": {
			o:    source.Options{RedirectHosts: []string{"*.storage.example"}},
			hub:  []string{"https://a.storage.example/a"},
			none: []string{"https://storage.example/a", "https://cdn-lfs.hf.co/a", "https://b2.civitai.com/a"},
		},
		"none": {o: source.Options{RedirectHosts: []string{}}, none: []string{"https://cdn-lfs.hf.co/a", "https://huggingface.co/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var dialled []string
			test.o.Resumptions = -1
			test.o.Dial = func(_ context.Context, _, address string) (net.Conn, error) {
				dialled = append(dialled, address)
				return nil, errors.New("there is no network")
			}
			inWorld(t, test.o, func(t *testing.T, w *world) {
				try := func(p source.Pin, to string, allowed bool) {
					dialled = nil
					w.Behave(loratest.StageFile, loratest.Redirect(to))
					err := w.Download(t.Context(), p, io.Discard, nil)
					if allowed {
						wantError(t, err, source.Transient, "the connection failed")
					} else {
						wantError(t, err, source.Rejected, "is not one that is read from")
					}
					if (len(dialled) == 1) != allowed {
						t.Errorf("%s: dialled %q", to, dialled)
					}
				}
				for _, to := range test.hub {
					try(w.declared, to, true)
					try(w.rounded, to, name == "configured")
				}
				for _, to := range test.civitai {
					try(w.rounded, to, true)
					try(w.declared, to, false)
				}
				for _, to := range test.none {
					try(w.declared, to, false)
					try(w.rounded, to, false)
				}
			})
		})
	}
}

// The errors of the writer and of the context are the caller's own.
func TestDownloadEnded(t *testing.T) {
	t.Parallel()
	inWorld(t, source.Options{}, func(t *testing.T, w *world) {
		full := errors.New("the disk is full")
		if err := w.Download(t.Context(), w.declared, failingWriter{full}, nil); !errors.Is(err, full) {
			t.Errorf("error = %v, want that of the writer", err)
		}
		gone := errors.New("the caller has gone")
		for name, how := range map[string]loratest.Behaviour{"reads": loratest.Drip(contentSize, 1, time.Second), "asks": loratest.Hang(), "waits": loratest.Status(500)} {
			w.Behave(loratest.StageCDN, how)
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(2500*time.Millisecond, func() { cancel(gone) })
			began := time.Now()
			if err := w.Download(ctx, w.declared, io.Discard, nil); !errors.Is(err, gone) || time.Since(began) != 2500*time.Millisecond {
				t.Errorf("%s: error = %v after %v, want the caller's at once", name, err, time.Since(began))
			}
		}
	})
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOpen(t *testing.T) {
	t.Parallel()
	inWorld(t, source.Options{MaxBytes: 2_000_000}, func(t *testing.T, w *world) {
		content := []byte("0123456789")
		pin, err := resolve(t, w.Sources, w.AddHubFile("owner/digits", "lora.safetensors", content))
		if err != nil {
			t.Fatal(err)
		}
		blind := pin
		blind.Bytes, blind.SHA256 = 0, ""
		open := func(p source.Pin, offset, length int64) (string, int64, error) {
			body, total, err := w.Open(t.Context(), p, offset, length)
			if err != nil {
				return "", 0, err
			}
			defer body.Close()
			text, err := io.ReadAll(body)
			return string(text), total, err
		}
		for _, test := range []struct {
			offset, length int64
			want           string
		}{{0, 0, "0123456789"}, {0, 4, "0123"}, {3, 4, "3456"}, {3, 0, "3456789"}, {8, 100, "89"}, {9, 1, "9"}, {0, 10, "0123456789"}, {0, 100, "0123456789"}} {
			for _, p := range []source.Pin{pin, blind} {
				if text, total, err := open(p, test.offset, test.length); err != nil || text != test.want || total != 10 {
					t.Errorf("Open(%d, %d) = %q of %d, %v; want %q", test.offset, test.length, text, total, err, test.want)
				}
			}
		}
		_, _, err = open(pin, 10, 0)
		wantError(t, err, source.Rejected, "shorter than it was")

		// A server that knows no ranges still gives the beginning of a file.
		for name, how := range map[string]loratest.Behaviour{"whole": loratest.Send("", content), "chunked": loratest.Chunked(content)} {
			w.Behave(loratest.StageCDN, how)
			for _, p := range []source.Pin{pin, blind} {
				for length, want := range map[int64]string{0: "0123456789", 4: "0123", 10: "0123456789", 100: "0123456789"} {
					if text, _, err := open(p, 0, length); err != nil || text != want {
						t.Errorf("%s: Open(0, %d) = %q, %v; want %q", name, length, text, err, want)
					}
				}
			}
			_, _, err = open(pin, 3, 4)
			wantError(t, err, source.Transient, "cannot be resumed")
		}
		w.Behave(loratest.StageCDN, loratest.Break(2))
		text, _, err := open(pin, 3, 4)
		wantError(t, err, source.Transient, "the connection failed")
		if text != "34" {
			t.Errorf("before it broke: %q", text)
		}
		w.Behave(loratest.StageCDN, loratest.SetHeader("Content-Range", "bytes 3-9/10"))
		_, _, err = open(pin, 3, 4)
		wantError(t, err, source.Rejected, "another part")
		w.Behave(loratest.StageCDN, loratest.Replace(make([]byte, 2_000_001)))
		_, _, err = open(blind, 3, 4)
		wantError(t, err, source.Access, "larger than 2000000 bytes")
		w.Behave(loratest.StageCDN, loratest.Status(404))
		_, _, err = open(pin, 3, 4)
		wantError(t, err, source.Access, "no such model or file")
		for _, p := range []source.Pin{{}, {Provider: "civitai", Source: pin.Source, Path: pin.Path}, {Provider: pin.Provider, Source: "https://%", Path: pin.Path}, {Provider: pin.Provider, Source: pin.Source, Path: "@evil.example/"}} {
			_, _, err = open(p, 0, 0)
			wantError(t, err, source.Access, "are not imported here")
		}
	})
}

// A part of a file that comes too slowly is given up, as the whole file is.
func TestOpenSlowly(t *testing.T) {
	t.Parallel()
	inWorld(t, source.Options{}, func(t *testing.T, w *world) {
		w.Behave(loratest.StageCDN, loratest.Drip(contentSize, 1, time.Second))
		began := time.Now()
		body, _, err := w.Open(t.Context(), w.declared, 0, 16<<20)
		if err != nil {
			t.Fatal(err)
		}
		defer body.Close()
		_, err = io.Copy(io.Discard, body)
		wantError(t, err, source.Transient, "too slowly")
		if took := time.Since(began); took > 62*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// A site that does not answer in time, or that cannot be reached, is a transient failure.
func TestResolveTimes(t *testing.T) {
	t.Parallel()
	inWorld(t, source.Options{}, func(t *testing.T, w *world) {
		for name, test := range map[string]struct {
			loratest.Behaviour
			after time.Duration
		}{
			"no answer":       {loratest.Hang(), 15 * time.Second},
			"a byte a second": {loratest.Drip(1000, 1, time.Second), 20 * time.Second},
		} {
			w.Behave(loratest.StageAPI, test.Behaviour)
			began := time.Now()
			_, err := resolve(t, w.Sources, civitai+"/models/1")
			wantError(t, err, source.Transient, "civitai.com did not answer in time")
			if took := time.Since(began); took != test.after {
				t.Errorf("%s: it took %v, want %v", name, took, test.after)
			}
		}
	})
	s := newSources(t, "http://mirror.example", source.Options{Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "secret.example", IsNotFound: true}
	}})
	_, err := resolve(t, s, civitai+"/models/1")
	wantError(t, err, source.Transient, "the connection failed")
	if strings.Contains(fmt.Sprint(err), "mirror") {
		t.Errorf("the error names the mirror: %v", err)
	}
}
