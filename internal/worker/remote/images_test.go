package remote_test

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/worker/remote"
)

const gpt = "gpt-image-2"

func decoded(t *testing.T, r io.Reader) (v map[string]any) {
	t.Helper()
	if err := json.NewDecoder(r).Decode(&v); err != nil {
		t.Errorf("the body is not JSON: %v", err)
	}
	return v
}

// fakeImages is a vendor with the images API.
type fakeImages struct {
	*httptest.Server
	t *testing.T

	mu     sync.Mutex
	bodies []map[string]any
	forms  []map[string][]string // fields, and types of files
	mask   image.Image
	keys   []string
	calls  int
	before func(w http.ResponseWriter, n int) bool
	after  func(w http.ResponseWriter, n int) bool
	byURL  bool
	fewer  int
	file   string
}

func newFakeImages(t *testing.T) *fakeImages {
	t.Helper()
	s := &fakeImages{t: t, file: "image.png"}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/images/generations", func(w http.ResponseWriter, r *http.Request) {
		b := decoded(t, r.Body)
		s.mu.Lock()
		s.bodies = append(s.bodies, b)
		s.mu.Unlock()
		n, _ := b["n"].(float64)
		s.answer(w, r, int(n))
	})
	mux.HandleFunc("POST /v1/images/edits", s.edit)
	mux.HandleFunc("GET /pictures/1", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(read(t, "../../ateliertest/media/"+s.file))
	})
	s.Server = network.Serve(t, mux)
	return s
}

func (s *fakeImages) edit(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		s.t.Errorf("the form: %v", err)
		return
	}
	fields := map[string][]string{}
	for k, v := range r.MultipartForm.Value {
		fields[k] = v
	}
	for k, files := range r.MultipartForm.File {
		for _, f := range files {
			fields[k] = append(fields[k], f.Header.Get("Content-Type")+" "+f.Filename)
			in, _ := f.Open()
			if k == "mask" {
				s.mask, _ = png.Decode(in)
			}
			in.Close()
		}
	}
	s.mu.Lock()
	s.forms = append(s.forms, fields)
	s.mu.Unlock()
	n := 1
	_, _ = fmt.Sscan(fields["n"][0], &n)
	s.answer(w, r, n)
}

func (s *fakeImages) answer(w http.ResponseWriter, r *http.Request, n int) {
	if r.Header.Get("Authorization") != "Bearer "+secret {
		s.t.Errorf("the key is %q", r.Header.Get("Authorization"))
	}
	s.mu.Lock()
	s.calls++
	call := s.calls
	s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
	s.mu.Unlock()
	if s.before != nil && s.before(w, call) {
		return
	}
	var items []map[string]string
	for range n - s.fewer {
		if s.byURL {
			items = append(items, map[string]string{"url": s.URL + "/pictures/1"})
		} else {
			items = append(items, map[string]string{"b64_json": b64(read(s.t, "../../ateliertest/media/"+s.file))})
		}
	}
	if s.after != nil && s.after(w, call) {
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"created": 1, "usage": map[string]any{"data": []int{1}}, "data": items})
}

func pngs(n int) (list []string) {
	for range n {
		list = append(list, "image/png")
	}
	return list
}

func TestAPictureIsMade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, byURL := range []bool{false, true} {
			s := newFakeImages(t)
			s.byURL = byURL
			k, d := task(t, "generate_image", gpt, map[string]any{"prompt": "a fox", "width": 1536.0, "height": 1024.0, "gptImageQuality": "high", "gptImageBackground": "transparent",
				"gptImageOutputCompression": 50.0, "negativePrompt": "dogs"}, pngs(1))
			out, err := open(t, s.URL, gpt, nil).Render(t.Context(), k)
			if err != nil || len(out) != 1 || out[0].Width == 0 || out[0].Metadata["vendor"] != "acme" || !reflect.DeepEqual(out[0].Metadata["unusedArguments"], []string{"negativePrompt"}) {
				t.Fatalf("got %+v, %v", out, err)
			}
			want := jsonOf(t, `{"model":"acme-1","prompt":"a fox","n":1,"size":"1536x1024","quality":"high","background":"transparent","output_format":"png"}`)
			if !reflect.DeepEqual(any(s.bodies[0]), want) {
				t.Errorf("the body: %v, want %v", s.bodies[0], want)
			}
			if d.last() != `{"vendor":"acme","parts":[{"s":"intent"}]}` || s.keys[0] != "" {
				t.Errorf("the receipt %s, the key %q", d.last(), s.keys[0])
			}
		}
		s := newFakeImages(t)
		s.file = "image.jpg"
		k, _ := task(t, "generate_image", gpt, map[string]any{"prompt": "a fox", "gptImageOutputCompression": 50.0}, []string{"image/jpeg"})
		k.SafeContentFilter = false
		if _, err := open(t, s.URL, gpt, nil).Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if b := s.bodies[0]; b["output_format"] != "jpeg" || b["output_compression"] != 50.0 || b["moderation"] != "low" || b["size"] != "auto" {
			t.Errorf("the body: %v", b)
		}
	})
}

func TestManyPictures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeImages(t)
		k, _ := task(t, "generate_image", gpt, map[string]any{"prompt": "x"}, pngs(12))
		out, err := open(t, s.URL, gpt, nil, func(o *remote.Options) { o.IdempotencyHeader = "Idempotency-Key" }).Render(t.Context(), k)
		if err != nil || len(out) != 12 || out[11].ID != "a11" || out[11].Seed != 18 {
			t.Fatalf("got %d, %v", len(out), err)
		}
		if !reflect.DeepEqual(s.keys, []string{"atelier-job-1-0", "atelier-job-1-1"}) || s.bodies[0]["n"] != 10.0 || s.bodies[1]["n"] != 2.0 {
			t.Errorf("the calls: %q %v", s.keys, s.bodies)
		}
		s = newFakeImages(t)
		s.fewer = 1
		k, _ = task(t, "generate_image", gpt, map[string]any{"prompt": "x"}, pngs(3))
		if out, err := open(t, s.URL, gpt, nil).Render(t.Context(), k); err != nil || len(out) != 2 {
			t.Errorf("fewer than ordered: got %d, %v", len(out), err)
		}
	})
}

func TestAnEdit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeImages(t)
		mask := pngFile(t, 4, 2, color.White)
		k, _ := task(t, "edit_image", gpt, map[string]any{"prompt": "a hat", "width": 1000.0, "height": 777.0}, pngs(2),
			"sourceImageIndex", pngFile(t, 40, 20, color.Black), "sourceImageIndex", "../../ateliertest/media/image.png", "mask_image_url", mask)
		out, err := open(t, s.URL, gpt, nil).Render(t.Context(), k)
		if err != nil || len(out) != 2 {
			t.Fatalf("got %+v, %v", out, err)
		}
		want := map[string][]string{
			"model": {"acme-1"}, "prompt": {"a hat"}, "n": {"2"}, "size": {"1008x784"}, "output_format": {"png"},
			"image[]": {"image/png image-0.png", "image/png image-1.png"}, "mask": {"image/png mask.png"},
		}
		if !reflect.DeepEqual(s.forms[0], want) {
			t.Errorf("the form:\n got %v\nwant %v", s.forms[0], want)
		}
		if b := s.mask.Bounds(); b.Dx() != 40 || b.Dy() != 20 {
			t.Errorf("the mask is %v", b)
		}
		if _, _, _, a := s.mask.At(20, 10).RGBA(); a != 0 {
			t.Errorf("what is to be changed has an alpha of %d", a)
		}
		k, _ = task(t, "edit_image", gpt, map[string]any{"prompt": "x"}, pngs(1), "sourceImageIndex", pngFile(t, 4, 4, color.Black), "mask_image_url", pngFile(t, 4, 4, color.Black))
		if _, err := open(t, s.URL, gpt, nil).Render(t.Context(), k); verdict(err) != "error" || !strings.Contains(err.Error(), "selects nothing") {
			t.Errorf("an empty mask: %v", err)
		}
		k, _ = task(t, "edit_image", gpt, map[string]any{"prompt": "x"}, pngs(1))
		if _, err := open(t, s.URL, gpt, nil).Render(t.Context(), k); verdict(err) != "error" {
			t.Errorf("without an image: %v", err)
		}
	})
}

func TestImageTrouble(t *testing.T) {
	t.Parallel()
	once := func(f func(http.ResponseWriter, int) bool) func(http.ResponseWriter, int) bool {
		return func(w http.ResponseWriter, n int) bool { return n == 1 && f(w, n) }
	}
	slow := func(w http.ResponseWriter, _ int) bool { // until the client has disconnected
		conn, in, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_, _ = in.ReadByte()
			conn.Close()
		}
		return true
	}
	half := respond(200, `{"data":[{"b64_json":"`, "Content-Length", "5000")
	for name, c := range map[string]struct {
		before, after func(http.ResponseWriter, int) bool
		idempotent    bool
		file          string
		want, says    string
		calls         int
	}{
		"moderated":               {before: respond(400, `{"error":{"code":"moderation_blocked","message":"Your request was rejected by the safety system. `+secret+`","type":"image_generation_user_error"}}`), want: "content_filtered", says: "safety system. …", calls: 1},
		"refused":                 {before: respond(400, `{"error":{"code":null,"message":"bad size"}}`), want: "error", says: "bad size", calls: 1},
		"a bad key":               {before: respond(401, `{"error":{"message":"Incorrect API key provided: `+secret+`"}}`), want: "error", says: "provided: …", calls: 1},
		"busy once":               {before: once(respond(429, "", "Retry-After", "0.01")), want: "done", calls: 2},
		"busy for good":           {before: respond(503, ""), want: "dropped", calls: 2},
		"an error once":           {before: once(respond(500, "")), want: "done", calls: 2},
		"a gateway":               {after: respond(502, ""), want: "unknown", calls: 1},
		"too slow":                {after: slow, want: "unknown", says: "in time", calls: 1},
		"too slow, idempotent":    {after: once(slow), idempotent: true, want: "done", calls: 2},
		"hangs up":                {after: hangUp, want: "unknown", calls: 1},
		"half an answer":          {after: half, want: "unknown", says: "incomplete", calls: 1},
		"half an answer, once":    {after: once(half), idempotent: true, want: "done", calls: 2},
		"no pictures":             {after: respond(200, `{"data":[]}`), want: "error", says: "without a picture", calls: 1},
		"no data":                 {after: respond(200, `{}`), want: "unknown", says: "it sent JSON of another form ({})", calls: 1},
		"no JSON":                 {after: respond(200, `ok`), want: "unknown", says: "it sent text that is not JSON (ok)", calls: 1},
		"a page":                  {after: respond(200, `<html>Hello `+secret), want: "unknown", says: "it sent an HTML page (<html>Hello …)", calls: 1},
		"an entry of no kind":     {after: respond(200, `{"data":[7]}`), want: "unknown", says: `it sent JSON of another form ({"data":[7]})`, calls: 1},
		"another type":            {file: "image.jpg", want: "error", says: "image/jpeg instead of image/png", calls: 1},
		"nonsense":                {after: respond(200, `{"data":[{"b64_json":"%%%%"}]}`), want: "error", says: "cannot be read", calls: 1},
		"a giant":                 {file: "sound.flac", want: "error", says: "larger than", calls: 1},
		"somewhere on the inside": {after: respond(200, `{"data":[{"url":"http://127.0.0.2:1/x.png"}]}`), want: "unknown", calls: 1},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newFakeImages(t)
			s.before, s.after = c.before, c.after
			if c.file != "" {
				s.file = c.file
			}
			k, d := task(t, "generate_image", gpt, map[string]any{"prompt": "x"}, pngs(1))
			r := open(t, s.URL, gpt, nil, func(o *remote.Options) {
				o.MaxBytes = 5000
				if strings.HasPrefix(name, "too slow") {
					o.Timeout = 400 * time.Millisecond
				}
				if c.idempotent {
					o.IdempotencyHeader, o.RetryFor = "Idempotency-Key", 3*time.Second
				}
			})
			_, err := r.Render(t.Context(), k)
			s.mu.Lock()
			defer s.mu.Unlock()
			if got := verdict(err); got != c.want || err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), secret)) {
				t.Errorf("got %s, want %s with %q: %v", got, c.want, c.says, err)
			}
			if s.calls < c.calls || c.calls == 1 && s.calls != 1 {
				t.Errorf("%d calls, want %d", s.calls, c.calls)
			}
			if c.idempotent && s.keys[0] != s.keys[len(s.keys)-1] {
				t.Errorf("the keys differ: %q", s.keys)
			}
			if c.want != "unknown" {
				return
			}
			// A later attempt sends no request.
			calls := s.calls
			k.Receipt = d.last()
			s.mu.Unlock()
			_, err = r.Render(t.Context(), k)
			s.mu.Lock()
			if verdict(err) != "unknown" || s.calls != calls {
				t.Errorf("the later attempt: %v after %d calls", err, s.calls-calls)
			}
		})
	}
}
