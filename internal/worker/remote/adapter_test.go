package remote_test

import (
	"fmt"
	"image/color"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/atelier-project/atelier/internal/worker/remote"
)

func TestOurAdapters(t *testing.T) {
	t.Parallel()
	names := remote.Adapters()
	if want := []string{"ark", "dashscope", "generic", "openai-videos"}; !reflect.DeepEqual(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	for _, name := range names {
		if _, err := remote.LoadAdapter(name); err != nil {
			t.Error(err)
		}
	}
}

// least is an adapter with the required fields only.
const least = `
submit: { path: /go, id: id, body: { prompt: "{{prompt}}" } }
poll: { path: "/is/{{id}}", status: status, results: [url] }
statuses: { ok: succeeded }
`

func TestAdapterRefusals(t *testing.T) {
	t.Parallel()
	if _, err := remote.ParseAdapter("a.yaml", []byte(least)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{"submit:", "sumbit:", "a.yaml:2: sumbit: unknown key"},
		{"id: id,", "id: 'a..b',", "submit.id: must have a name at each dot"},
		{"id: id,", "id: 'a[x]',", "submit.id: must have a number or * between brackets"},
		{"id: id,", "", "a.yaml: submit.id: must be the path"},
		{"status: status,", "", "a.yaml: poll.status: must be the path"},
		{", results: [url]", "", "poll.results: must be the paths"},
		{"{{prompt}}", "{{promt}}", "submit.body.prompt: there is no slot {{promt}}"},
		{"{{prompt}}", "{{id}}", "submit.body.prompt: there is no slot {{id}}"},
		{"{{prompt}}", "{{item}}", "submit.body.prompt: there is no slot {{item}}"},
		{"{{prompt}}", "{{key}}", "submit.body.prompt: there is no slot {{key}}"},
		{"{{prompt}}", "{{prompt", "submit.body.prompt: has a {{ without its }}"},
		{"{{prompt}}", "{{two words}}", "submit.body.prompt: has {{two words}}, which is not the name of a slot"},
		{`"{{prompt}}"`, "{ each: images, item: x }", "submit.body.prompt: each must be an entry of a list"},
		{`"{{prompt}}"`, "[ { each: prompt, item: x } ]", "submit.body.prompt[0].each: must be one of images, videos, audios"},
		{`{ prompt: "{{prompt}}" }`, "[ x ]", "submit.body: must be an object"},
		{"path: /go", "path: go", "submit.path: must begin with /"},
		{"path: /go", "path: '/go/{{image}}'", "submit.path: there is no slot {{image}} here"},
		{"path: /go", "method: SHOUT, path: /go", "submit.method: must be one of GET"},
		{"path: /go", "path: /go, headers: { X: '{{prompt}}' }", "submit.headers.X: there is no slot {{prompt}} for headers"},
		{"path: /go", "path: /go, headers: { 'a b': x }", "submit.headers.a b: is not the name of a header"},
		{`"/is/{{id}}"`, "/is", "poll.path: must hold {{id}}"},
		{"succeeded", "fine", "statuses.ok: must be running, succeeded"},
		{"succeeded", "running", "statuses: must have a word for succeeded"},
		{"statuses: { ok: succeeded }", "", "statuses: must say"},
		{"statuses:", "media: fax\nstatuses:", "media: must be data or url"},
		{"statuses:", "poll_every: 1ns\nstatuses:", "poll_every: must be between"},
		{"statuses:", "poll_every: soon\nstatuses:", "a.yaml:4: poll_every: must be a duration"},
		{"statuses:", "busy: [200]\nstatuses:", "busy[0]: must be an HTTP status"},
		{"statuses:", "filtered: ['']\nstatuses:", "filtered[0]: must not be empty"},
		{"statuses:", "idempotency_header: 'a b'\nstatuses:", "idempotency_header: must be"},
		{"statuses:", "slots: { image: {} }\nstatuses:", "slots.image: there is no such slot for a value"},
		{"statuses:", "slots: { duration: {} }\nstatuses:", "slots.duration: submit does not use it"},
		{"statuses:", "slots: { prompt: { round: away } }\nstatuses:", "slots.prompt.round: must be up"},
		{"statuses:", "fetch: { path: '/x/{{id}}' }\nstatuses:", "poll.results: cannot be combined with fetch"},
		{", results: [url] }", " }\nfetch: { path: '/x/{{id}}' }", "fetch.results: must be the paths"},
		{"statuses:", "cancel: { path: /x }\nstatuses:", "cancel.path: must hold {{id}}"},
	} {
		_, err := remote.ParseAdapter("a.yaml", []byte(strings.Replace(least, c.from, c.to, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", c.to, err, c.want)
		}
	}
}

func TestLoadAdapter(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte(least), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := remote.LoadAdapter(file); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{
		"missing":         `there is no adapter "missing"; there are ark, dashscope, generic, openai-videos, or name a file that ends in .yaml`,
		"nowhere/x.yaml":  "nowhere/x.yaml: no such file",
		t.TempDir() + "/": "is not a file",
	} {
		if _, err := remote.LoadAdapter(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

// fakeVendor is a vendor with fixed answers.
type fakeVendor struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string // method and path of each request
	body     map[string]any
	head     http.Header
}

func newFakeVendor(t *testing.T, answers map[string]string) *fakeVendor {
	t.Helper()
	v := &fakeVendor{}
	v.Server = network.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := r.Method + " " + r.URL.Path
		v.mu.Lock()
		defer v.mu.Unlock()
		v.requests = append(v.requests, call)
		if r.Method == http.MethodPost {
			v.head, v.body = r.Header, decoded(t, r.Body)
		}
		switch text, ok := answers[call]; {
		case r.URL.Path == "/clip.mp4" || text == "FILE":
			_, _ = w.Write(read(t, "../../ateliertest/media/video.mp4"))
		case ok:
			fmt.Fprint(w, strings.ReplaceAll(text, "HOST", v.URL))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(v.Close)
	return v
}

func TestArk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeVendor(t, map[string]string{
			"POST /v1/contents/generations/tasks":      `{"id":"cgt-1"}`,
			"GET /v1/contents/generations/tasks/cgt-1": `{"id":"cgt-1","status":"succeeded","content":{"video_url":"HOST/clip.mp4"}}`,
		})
		k, _ := task(t, "generate_video", seedance, map[string]any{"prompt": "a fox", "duration": 4.5, "ratio": "16:9", "targetResolution": 1080.0, "generateAudio": false, "watermark": false}, clip,
			"referenceImageIndices", pngFile(t, 8, 8, color.White), "referenceImageIndices", pngFile(t, 8, 8, color.Black), "referenceVideoIndices", "../../ateliertest/media/video.mp4")
		if _, err := open(t, v.URL, seedance, adapter(t, "ark", "media: data", "media: url")).Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		want := jsonOf(t, `{"model":"acme-1","duration":5,"ratio":"16:9","resolution":"1080p","generate_audio":false,"watermark":false,"seed":7,"content":[
		{"type":"text","text":"a fox"},
		{"type":"image_url","image_url":{"url":"https://atelier.example/shot.png"},"role":"reference_image"},
		{"type":"image_url","image_url":{"url":"https://atelier.example/shot.png"},"role":"reference_image"},
		{"type":"video_url","video_url":{"url":"https://atelier.example/video.mp4"},"role":"reference_video"}]}`)
		if !reflect.DeepEqual(any(v.body), want) {
			t.Errorf("the submit:\n got %v\nwant %v", v.body, want)
		}
	})
}

func TestDashScope(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeVendor(t, map[string]string{
			"POST /v1/services/aigc/video-generation/video-synthesis": `{"output":{"task_id":"0385","task_status":"PENDING"}}`,
			"GET /v1/tasks/0385": `{"output":{"task_status":"SUCCEEDED","video_url":"HOST/clip.mp4"}}`,
		})
		k, _ := task(t, "animate_photo", "wan3.0-video", map[string]any{"prompt": "a fox", "duration": 5.0, "targetResolution": 720.0, "expandPrompt": true}, clip, "sourceImageIndex", pngFile(t, 8, 8, color.White))
		if _, err := open(t, v.URL, "wan3.0-video", adapter(t, "dashscope", "media: data", "media: url")).Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		want := jsonOf(t, `{"model":"acme-1","input":{"prompt":"a fox","img_url":"https://atelier.example/shot.png"},"parameters":{"resolution":"720P","duration":5,"prompt_extend":true,"seed":7}}`)
		if !reflect.DeepEqual(any(v.body), want) || v.head.Get("X-DashScope-Async") != "enable" {
			t.Errorf("the submit:\n got %v\nwant %v", v.body, want)
		}
	})
}

func TestOpenAIVideos(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeVendor(t, map[string]string{
			"POST /v1/videos": `{"id":"video_1","status":"queued"}`, "GET /v1/videos/video_1": `{"status":"completed","progress":100}`, "GET /v1/videos/video_1/content": "FILE",
		})
		k, _ := task(t, "generate_video", "happyhorse-1.1-t2v", map[string]any{"prompt": "a fox", "duration": 8.0, "width": 1280.0, "height": 720.0}, clip)
		out, err := open(t, v.URL, "happyhorse-1.1-t2v", adapter(t, "openai-videos")).Render(t.Context(), k)
		if err != nil || out[0].Width != 64 {
			t.Fatalf("got %+v, %v", out, err)
		}
		if want := jsonOf(t, `{"model":"acme-1","prompt":"a fox","seconds":"8","size":"1280x720"}`); !reflect.DeepEqual(any(v.body), want) {
			t.Errorf("the submit: %v, want %v", v.body, want)
		}
		if want := []string{"POST /v1/videos", "GET /v1/videos/video_1", "GET /v1/videos/video_1/content"}; !reflect.DeepEqual(v.requests, want) {
			t.Errorf("the calls: %q", v.requests)
		}
	})
}

// An adapter file of an operator: a key in a custom header, values with other
// names, a query, a fetch.
func TestAnAdapterOfAnOperator(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, err := remote.ParseAdapter("mine.yaml", []byte(`
poll_every: 10ms
headers: { X-Key: "{{key}}", X-Job: "{{job}}" }
slots:
  ratio: { values: { "16:9": landscape, adaptive: null }, default: landscape }
  duration: { round: nearest, text: true }
submit:
  path: /go/{{model}}?seed={{seed}}
  body:
    text: "say: {{prompt}}"
    shape: "{{ratio}}"
    long: "{{duration}}"
    list: [ { a: "{{negativePrompt?}}", b: 1 }, { c: "{{negativePrompt}}", d: 2 }, plain ]
    empty: { x: "{{negativePrompt}}" }
  id: "data[0].task"
poll: { path: "/is?task={{id}}", status: state }
fetch: { method: POST, path: /what, body: { task: "{{id}}" }, results: ["files[*].url"] }
statuses: { "2": succeeded }
`))
		if err != nil {
			t.Fatal(err)
		}
		v := newFakeVendor(t, map[string]string{
			"POST /v1/go/acme-1": `{"data":[{"task":12345678901234567890}]}`, "GET /v1/is": `{"state":2}`, "POST /v1/what": `{"files":[{},{"url":"HOST/clip.mp4"}]}`,
		})
		k, d := task(t, "generate_video", seedance, map[string]any{"prompt": "x", "ratio": "adaptive", "duration": 4.6}, clip)
		r := open(t, v.URL, seedance, a)
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if want := jsonOf(t, `{"task":"12345678901234567890"}`); !reflect.DeepEqual(any(v.body), want) || v.head.Get("X-Key") != secret || v.head.Get("X-Job") != "job-1" || v.head.Get("Authorization") != "" {
			t.Errorf("the fetch: %v %v", v.body, v.head)
		}
		if !strings.Contains(d.last(), "12345678901234567890") {
			t.Errorf("the receipt: %s", d.last())
		}
		k.Receipt = ""
		v.mu.Lock()
		v.requests = nil
		v.mu.Unlock()
		stop := newFakeVendor(t, map[string]string{})
		_, err = open(t, stop.URL, seedance, a).Render(t.Context(), k)
		if verdict(err) != "error" {
			t.Errorf("got %v", err)
		}
		if want := jsonOf(t, `{"text":"say: x","long":"5","list":[{"b":1},"plain"]}`); !reflect.DeepEqual(any(stop.body), want) {
			t.Errorf("the submit: got %v, want %v", stop.body, want)
		}
	})
}
