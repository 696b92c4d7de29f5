package remote_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image/color"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/worker/remote"
)

const seedance = "seedance-2-0"

// The receipt is stored before the vendor is called, and has the vendor's id
// afterwards.
func TestAClipIsMade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeQueue(t)
		k, d := task(t, "generate_video", seedance, map[string]any{"prompt": "a fox", "duration": 5.0, "aspectRatio": "9:16", "targetResolution": 720.0, "generateAudio": true, "guidance": 3.0}, clip)
		s.accept = func(http.ResponseWriter, int) bool {
			if !strings.Contains(d.last(), `"intent"`) {
				t.Errorf("the vendor is asked with the receipt %q", d.last())
			}
			return false
		}
		out, err := open(t, s.URL, seedance, adapter(t, "generic")).Render(t.Context(), k)
		if err != nil || len(out) != 1 {
			t.Fatalf("got %+v, %v", out, err)
		}
		if o := out[0]; o.ID != "a0" || o.Width == 0 || o.Height == 0 || o.DurationSeconds <= 0 || o.Seed != 7 || o.Metadata["vendorModelId"] != "acme-1" ||
			!reflect.DeepEqual(o.Metadata["unusedArguments"], []string{"guidance"}) {
			t.Errorf("the output: %+v", o)
		}
		if want := `{"vendor":"acme","parts":[{"s":"sent","i":"task-1"}]}`; d.last() != want || len(d.receipts) != 2 {
			t.Errorf("the receipts: %q, want two, the last %s", d.receipts, want)
		}
		want := map[string]any{"model": "acme-1", "prompt": "a fox", "duration": 5.0, "ratio": "9:16", "resolution": "720p", "audio": true, "seed": 7.0}
		if got := s.submits[0].body; !reflect.DeepEqual(got, want) {
			t.Errorf("the submit:\n got %v\nwant %v", got, want)
		}
		if key := s.submits[0].header.Get("Idempotency-Key"); key != "atelier-job-1-0" {
			t.Errorf("the idempotency key is %q", key)
		}
	})
}

func TestEveryClipOfAJobIsMade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeQueue(t)
		k, d := task(t, "animate_photo", "wan3.0-video", map[string]any{"prompt": "x", "prompts": []any{"one", "two", "three"}}, []string{"video/mp4", "video/mp4", "video/mp4"},
			"sourceImageIndices", pngFile(t, 8, 8, color.White), "sourceImageIndices", pngFile(t, 9, 8, color.White), "sourceImageIndices", pngFile(t, 10, 8, color.White))
		out, err := open(t, s.URL, "wan3.0-video", notIdempotent(t)).Render(t.Context(), k)
		if err != nil || len(out) != 3 || out[2].ID != "a2" || out[2].Seed != 9 {
			t.Fatalf("got %+v, %v", out, err)
		}
		for i, want := range []string{"one", "two", "three"} {
			b := s.submits[i].body
			if b["prompt"] != want || !strings.HasPrefix(fmt.Sprint(b["first_frame"]), "data:image/png;base64,") || s.submits[i].header.Get("Idempotency-Key") != "" {
				t.Errorf("submit %d: %.200v", i, b)
			}
			if i > 0 && b["first_frame"] == s.submits[i-1].body["first_frame"] {
				t.Errorf("submit %d has the picture of the one before", i)
			}
		}
		if !strings.Contains(d.last(), "task-3") {
			t.Errorf("the receipt: %s", d.last())
		}
	})
}

// The outcome of a submit that is not simply accepted.
func TestSubmits(t *testing.T) {
	t.Parallel()
	once := func(f func(http.ResponseWriter, int) bool) func(http.ResponseWriter, int) bool {
		return func(w http.ResponseWriter, n int) bool { return n == 1 && f(w, n) }
	}
	for name, c := range map[string]struct {
		accept, accepted func(http.ResponseWriter, int) bool
		idempotent       bool
		want             string // the verdict
		submits, tasks   int    // at least, and exactly
		says             string // in the message
		receipt          string // in the last one
	}{
		"busy once":                      {accept: once(respond(429, "", "Retry-After", "0.05")), want: "done", submits: 2, tasks: 1},
		"an error once":                  {accept: once(respond(500, "oh")), want: "done", submits: 2, tasks: 1},
		"busy for good":                  {accept: respond(503, ""), want: "dropped", submits: 2, says: "status 503", receipt: `"parts":[{}]`},
		"busy for too long":              {accept: respond(429, "", "Retry-After", "3600"), want: "dropped", submits: 1, receipt: `"parts":[{}]`},
		"busy, idempotent":               {accept: respond(503, ""), idempotent: true, want: "dropped", submits: 2, receipt: `"parts":[{}]`},
		"refused":                        {accept: respond(400, `{"error":{"message":"bad ratio","code":"invalid"}}`), want: "error", submits: 1, says: "bad ratio", receipt: "refused"},
		"refused without words":          {accept: respond(403, `<html>`), want: "error", submits: 1, says: "did not say why"},
		"redirected":                     {accept: respond(302, "", "Location", "https://elsewhere.example/"), want: "error", submits: 1},
		"moderated":                      {accept: respond(400, `{"error":{"message":"no","code":"moderation_blocked"}}`), want: "content_filtered", submits: 1, says: "content filter"},
		"a gateway gives up":             {accept: respond(504, ""), want: "unknown", submits: 1, receipt: "intent"},
		"a gateway gives up, idempotent": {accepted: once(respond(504, "")), idempotent: true, want: "done", submits: 2, tasks: 1},
		"hangs up before":                {accept: hangUp, want: "unknown", submits: 1, receipt: "intent"},
		"hangs up after":                 {accepted: hangUp, want: "unknown", submits: 1, tasks: 1, receipt: "intent"},
		"hangs up before, idempotent":    {accept: once(hangUp), idempotent: true, want: "done", submits: 2, tasks: 1},
		"hangs up after, idempotent":     {accepted: once(hangUp), idempotent: true, want: "done", submits: 2, tasks: 1},
		"hangs up for good, idempotent":  {accepted: hangUp, idempotent: true, want: "unknown", submits: 2, tasks: 1, receipt: "intent"},
		"lost and then busy, idempotent": {accepted: func(w http.ResponseWriter, n int) bool {
			return n == 1 && hangUp(w, n) || n > 1 && respond(503, "")(w, n)
		}, idempotent: true, want: "unknown", submits: 2, tasks: 1, receipt: "intent"},
		"still at it, idempotent": {accepted: func(w http.ResponseWriter, n int) bool {
			return n == 1 && hangUp(w, n) || n == 2 && respond(409, "")(w, n)
		}, idempotent: true, want: "done", submits: 3, tasks: 1},
		"taken without an id":             {accepted: respond(200, `{"status":"queued"}`), want: "unknown", submits: 1, tasks: 1, receipt: "intent"},
		"taken in words":                  {accepted: respond(200, `ok`), want: "unknown", submits: 1, tasks: 1},
		"taken with an id without an end": {accepted: respond(200, `{"id":"`+strings.Repeat("x", 500)+`"}`), want: "unknown", submits: 1, tasks: 1},
		"the key in an answer":            {accept: respond(400, `{"error":{"message":"the key `+secret+` is bad"}}`), want: "error", submits: 1, says: "the key … is bad"},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newFakeQueue(t)
			s.accept, s.accepted = c.accept, c.accepted
			a := notIdempotent(t)
			if c.idempotent {
				a = adapter(t, "generic")
			}
			k, d := task(t, "generate_video", seedance, map[string]any{"prompt": "x"}, clip)
			_, err := open(t, s.URL, seedance, a).Render(t.Context(), k)
			submits, tasks, _ := s.count()
			if got := verdict(err); got != c.want || submits < c.submits || c.submits == 1 && submits != 1 || tasks != c.tasks {
				t.Errorf("got %s after %d submits and %d tasks, want %s after %d and %d: %v", got, submits, tasks, c.want, c.submits, c.tasks, err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), secret) || strings.Contains(d.last(), secret)) {
				t.Errorf("it says %q with %s, want %q", err, d.last(), c.says)
			}
			if !strings.Contains(d.last(), c.receipt) {
				t.Errorf("the receipt is %s, want %s", d.last(), c.receipt)
			}
		})
	}
}

// The vendor cannot be reached: nothing was sent.
func TestAVendorThatIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeQueue(t)
		s.Close()
		k, d := task(t, "generate_video", seedance, map[string]any{"prompt": "x"}, clip)
		_, err := open(t, s.URL, seedance, notIdempotent(t)).Render(t.Context(), k)
		if verdict(err) != "dropped" || !strings.Contains(d.last(), `[{}]`) {
			t.Errorf("got %v with %s, want dropped without anything out", err, d.last())
		}
	})
}

// Nothing is submitted when the service cannot store a receipt.
func TestNoReceiptNoSubmit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeQueue(t)
		k, d := task(t, "generate_video", seedance, map[string]any{"prompt": "x"}, clip)
		d.refuse = true
		if _, err := open(t, s.URL, seedance, notIdempotent(t)).Render(t.Context(), k); verdict(err) != "unknown" && verdict(err) != "dropped" {
			t.Errorf("got %v", err)
		}
		k.Keep = nil
		if _, err := open(t, s.URL, seedance, notIdempotent(t)).Render(t.Context(), k); verdict(err) != "dropped" {
			t.Errorf("without a service to store it: got %v", err)
		}
		if n, _, _ := s.count(); n != 0 {
			t.Errorf("the vendor was asked %d times", n)
		}
	})
}

// The outcome of a render that the vendor has accepted.
func TestPolls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		poll func(s *fakeQueue, w http.ResponseWriter, n int) bool
		want string
		says string
	}{
		"slow": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return n < 20 && respond(200, `{"status":"in_progress","progress":12.5}`)(w, n)
		}, "done", ""},
		"errors in between": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return n%2 == 1 && n < 8 && respond(500, "")(w, n)
		}, "done", ""},
		"busy in between": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return n < 2 && respond(429, "", "Retry-After", "1")(w, n)
		}, "done", ""},
		"hangs up in between": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool { return n < 4 && hangUp(w, n) }, "done", ""},
		"errors for good":     {func(_ *fakeQueue, w http.ResponseWriter, n int) bool { return respond(502, "")(w, n) }, "unknown", "status 502"},
		"forgotten": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return respond(404, `{"error":"no such task"}`)(w, n)
		}, "unknown", "status 404"},
		"not allowed any more": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool { return respond(401, secret)(w, n) }, "unknown", "status 401"},
		"an unknown word": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return respond(200, `{"status":"`+secret+`"}`)(w, n)
		}, "unknown", "is unknown"},
		"no status": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool { return respond(200, `{}`)(w, n) }, "unknown", "is unknown"},
		"no JSON":   {func(_ *fakeQueue, w http.ResponseWriter, n int) bool { return respond(200, `<html>`)(w, n) }, "unknown", "not JSON"},
		"half an answer": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return respond(200, `{"status":"comp`, "Content-Length", "900")(w, n)
		}, "unknown", ""},
		"an answer without end": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return respond(200, strings.Repeat("[", 5<<20))(w, n)
		}, "unknown", "larger than"},
		"done without a result": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return respond(200, `{"status":"completed"}`)(w, n)
		}, "unknown", "without the address of a result"},
		"working without end": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return respond(200, `{"status":"queued"}`)(w, n)
		}, "unknown", "still rendering"},
		"failed": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return respond(200, `{"status":"FAILED","error":{"message":"out of\n luck `+secret+`"}}`)(w, n)
		}, "error", "out of luck …"},
		"moderated": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return respond(200, `{"status":"moderated"}`)(w, n)
		}, "content_filtered", "content filter"},
		"moderated by its code": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return respond(200, `{"status":"failed","error":{"code":"Safety_3","message":"no"}}`)(w, n)
		}, "content_filtered", ": no."},
		"cancelled at the vendor": {func(_ *fakeQueue, w http.ResponseWriter, n int) bool {
			return respond(200, `{"status":"canceled"}`)(w, n)
		}, "error", "cancelled at the vendor"},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newFakeQueue(t)
			s.poll = func(w http.ResponseWriter, _ string, n int) bool { return c.poll(s, w, n) }
			k, d := task(t, "generate_video", seedance, map[string]any{"prompt": "x"}, clip)
			r := open(t, s.URL, seedance, notIdempotent(t), func(o *remote.Options) {
				if name == "working without end" {
					o.Patience = 300 * time.Millisecond
				}
			})
			_, err := r.Render(t.Context(), k)
			if got := verdict(err); got != c.want || err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), secret)) {
				t.Errorf("got %s, want %s with %q: %v", got, c.want, c.says, err)
			}
			if submits, _, _ := s.count(); submits != 1 || !strings.Contains(d.last(), "task-1") {
				t.Errorf("%d submits, the receipt %s", submits, d.last())
			}
		})
	}
}

// A worker that stops leaves the render at the vendor; the next one polls it and
// submits nothing.
func TestARestartBetweenSubmitAndResult(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]*remote.Adapter{"not idempotent": notIdempotent(t), "idempotent": adapter(t, "generic")} {
		inBubble(t, name, func(t *testing.T) {
			s := newFakeQueue(t)
			s.polled = make(chan string, 1)
			s.poll = func(w http.ResponseWriter, _ string, n int) bool { return respond(200, `{"status":"running"}`)(w, n) }
			k, d := task(t, "generate_video", seedance, map[string]any{"prompt": "x"}, []string{"video/mp4", "video/mp4"})
			ctx, stop := context.WithCancel(t.Context())
			go func() { <-s.polled; stop() }()
			r := open(t, s.URL, seedance, a)
			if _, err := r.Render(ctx, k); verdict(err) != "unknown" {
				t.Fatalf("the stopped attempt: got %v, want unknown", err)
			}
			s.mu.Lock()
			s.poll = nil
			s.mu.Unlock()
			k.Receipt, k.Attempt = d.last(), 2
			out, err := open(t, s.URL, seedance, a).Render(t.Context(), k)
			if submits, tasks, _ := s.count(); err != nil || len(out) != 2 || submits != 2 || tasks != 2 {
				t.Errorf("the second attempt: %+v, %v, and %d submits, %d tasks, want two of each", out, err, submits, tasks)
			}
		})
	}
}

// A worker that died between storing its intent and the vendor's answer.
func TestAnIntentWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		receipt, want string
		idempotent    bool
		submits       int
	}{
		"not idempotent": {`{"vendor":"acme","parts":[{"s":"intent"}]}`, "unknown", false, 0},
		"idempotent":     {`{"vendor":"acme","parts":[{"s":"intent"}]}`, "done", true, 1},
		"nothing out":    {`{"vendor":"acme","parts":[{}]}`, "done", false, 1},
		"refused":        {`{"vendor":"acme","parts":[{"s":"refused"}]}`, "error", false, 0},
		"another vendor": {`{"vendor":"bolt","parts":[{"s":"sent","i":"x"}]}`, "unknown", true, 0},
		"other parts":    {`{"vendor":"acme","parts":[{},{}]}`, "unknown", true, 0},
		"no id":          {`{"vendor":"acme","parts":[{"s":"sent"}]}`, "unknown", true, 0},
		"no receipt":     {`?`, "unknown", true, 0},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newFakeQueue(t)
			a := notIdempotent(t)
			if c.idempotent {
				a = adapter(t, "generic")
			}
			k, _ := task(t, "generate_video", seedance, map[string]any{"prompt": "x"}, clip)
			k.Receipt = c.receipt
			_, err := open(t, s.URL, seedance, a).Render(t.Context(), k)
			if submits, _, _ := s.count(); verdict(err) != c.want || submits != c.submits {
				t.Errorf("got %v after %d submits, want %s after %d", err, submits, c.want, c.submits)
			}
		})
	}
}

// The service is unavailable when the vendor returns its id: the id is stored
// later.
func TestAnIdIsKeptLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeQueue(t)
		k, d := task(t, "generate_video", seedance, map[string]any{"prompt": "x"}, clip)
		away := func(on bool) func(http.ResponseWriter, int) bool {
			return func(http.ResponseWriter, int) bool {
				d.mu.Lock()
				defer d.mu.Unlock()
				d.refuse = on
				return false
			}
		}
		s.accepted = away(true)
		s.poll = func(w http.ResponseWriter, _ string, n int) bool {
			if n == 2 {
				away(false)(w, n)
			}
			return n < 4 && respond(200, `{"status":"running"}`)(w, n)
		}
		if _, err := open(t, s.URL, seedance, notIdempotent(t)).Render(t.Context(), k); err != nil || !strings.Contains(d.last(), "task-1") {
			t.Errorf("got %v with %s", err, d.last())
		}
	})
}

// The type and the address of a result are checked.
func TestResults(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(read(t, "../../ateliertest/media/video.mp4"))
	}))
	t.Cleanup(other.Close)
	for name, c := range map[string]struct {
		set    func(*fakeQueue)
		open   func(*remote.Options)
		want   string
		says   string
		orders string
	}{
		"a picture":             {set: func(s *fakeQueue) { s.clip = read(t, "../../ateliertest/media/image.png") }, want: "error", says: "image/png instead of video/mp4"},
		"nothing known":         {set: func(s *fakeQueue) { s.clip = []byte("hello") }, want: "error", says: "unknown type"},
		"a giant":               {open: func(o *remote.Options) { o.MaxBytes = 500 }, want: "error", says: "larger than 500 bytes"},
		"mov for mp4":           {set: func(s *fakeQueue) { s.clip = read(t, "../../ateliertest/media/video.mov") }, want: "done"},
		"gone":                  {set: func(s *fakeQueue) { s.result = func(string) string { return s.URL + "/gone" } }, want: "unknown", says: "cannot be fetched"},
		"another machine":       {set: func(s *fakeQueue) { s.result = func(string) string { return other.URL } }, want: "unknown", says: "public Internet"},
		"another one allowed":   {set: func(s *fakeQueue) { s.result = func(string) string { return other.URL } }, open: func(o *remote.Options) { o.AllowPrivate = true }, want: "done"},
		"a file of the machine": {set: func(s *fakeQueue) { s.result = func(string) string { return "file:///etc/passwd" } }, want: "unknown", says: "https://"},
		"inside the answer":     {set: func(s *fakeQueue) { s.result = func(string) string { return "data:video/mp4;base64," + b64(s.clip) } }, want: "done"},
		"broken inside":         {set: func(s *fakeQueue) { s.result = func(string) string { return "data:video/mp4;base64,%%%" } }, want: "error", says: "cannot be read"},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newFakeQueue(t)
			if c.set != nil {
				c.set(s)
			}
			k, _ := task(t, "generate_video", seedance, map[string]any{"prompt": "x"}, clip)
			_, err := open(t, s.URL, seedance, notIdempotent(t), func(o *remote.Options) {
				if c.open != nil {
					c.open(o)
				}
			}).Render(t.Context(), k)
			if verdict(err) != c.want || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %s, want %s with %q: %v", verdict(err), c.want, c.says, err)
			}
		})
	}
}

// Some clips fail: the others are delivered. One is unknown: all of the job is.
func TestSomeOfTheClips(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for word, want := range map[string]string{"failed": "done", "no such status": "unknown"} {
			s := newFakeQueue(t)
			s.poll = func(w http.ResponseWriter, id string, n int) bool {
				return id == "task-2" && respond(200, `{"status":"`+word+`"}`)(w, n)
			}
			k, _ := task(t, "generate_video", seedance, map[string]any{"prompt": "x"}, []string{"video/mp4", "video/mp4", "video/mp4"})
			out, err := open(t, s.URL, seedance, notIdempotent(t)).Render(t.Context(), k)
			if verdict(err) != want || want == "done" && (len(out) != 2 || out[1].ID != "a2") {
				t.Errorf("%s: got %+v, %v, want %s", word, out, err, want)
			}
		}
		s := newFakeQueue(t)
		s.accept = func(w http.ResponseWriter, n int) bool { return n == 2 && respond(400, "")(w, n) }
		k, d := task(t, "generate_video", seedance, map[string]any{"prompt": "x"}, []string{"video/mp4", "video/mp4", "video/mp4"})
		out, err := open(t, s.URL, seedance, notIdempotent(t)).Render(t.Context(), k)
		if submits, _, _ := s.count(); err != nil || len(out) != 1 || submits != 2 || !strings.Contains(d.last(), `{"s":"refused"},{}`) {
			t.Errorf("the second was refused: %+v, %v after %d submits: %s", out, err, submits, d.last())
		}
	})
}

// The slots of the files of jobs.
func TestFilesOfJobs(t *testing.T) {
	t.Parallel()
	pic, film, song := pngFile(t, 8, 8, color.White), "../../ateliertest/media/video.mp4", "../../ateliertest/media/sound.mp3"
	for name, c := range map[string]struct {
		tool, model string
		args        map[string]any
		inputs      []string
		adapter     *remote.Adapter
		want        []string // fields of the submit that hold files
		refused     string
	}{
		"references":           {tool: "generate_video", inputs: []string{"referenceImageIndices", pic, "referenceImageIndices", pic, "referenceVideoIndices", film, "referenceAudioIndices", song}, want: []string{"audios", "images", "videos"}},
		"a file by its kind":   {tool: "generate_video", inputs: []string{"referenceFileUrl", film, "referenceLinkUrl", song}, want: []string{"audios", "videos"}},
		"a photo":              {tool: "animate_photo", inputs: []string{"sourceImageIndex", pic}, want: []string{"first_frame"}},
		"a photo to end on":    {tool: "animate_photo", args: map[string]any{"frameRole": "end"}, inputs: []string{"sourceImageIndex", pic}, want: []string{"last_frame"}},
		"from one to another":  {tool: "animate_photo", args: map[string]any{"frameRole": "both"}, inputs: []string{"sourceImageIndex", pic, "endImageIndex", pic}, want: []string{"first_frame", "last_frame"}},
		"a song":               {tool: "sound_to_video", inputs: []string{"audioSourceIndex", song, "sourceImageIndex", pic}, want: []string{"first_frame", "soundtrack"}},
		"a clip":               {tool: "video_to_video", inputs: []string{"videoSourceIndex", film, "sourceImageIndex", pic}, want: []string{"images", "video"}},
		"one reference leads":  {tool: "generate_video", adapter: adapter(t, "generic", `    images: "{{images}}"`, ""), inputs: []string{"referenceImageIndices", pic}, want: []string{"first_frame"}},
		"two cannot":           {tool: "generate_video", adapter: adapter(t, "generic", `    images: "{{images}}"`, ""), inputs: []string{"referenceImageIndices", pic, "referenceImageIndices", pic}, refused: "no reference images"},
		"a leader refers":      {tool: "animate_photo", adapter: adapter(t, "generic", `    first_frame: "{{image}}"`, ""), inputs: []string{"sourceImageIndex", pic}, want: []string{"images"}},
		"a mask has no place":  {tool: "video_to_video", inputs: []string{"videoSourceIndex", film, "maskImageIndex", pic}, refused: "no mask"},
		"another tool":         {tool: "generate_music", refused: "does not support generate_music"},
		"a tool of no adapter": {tool: "video_to_video", adapter: adapter(t, "generic", "media: data", "media: data\ntools: [generate_video]"), inputs: []string{"videoSourceIndex", film}, refused: "does not support video_to_video"},
		"not known":            {tool: "animate_photo", inputs: []string{"sourceImageIndex", "doc.go"}, refused: "unknown type"},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newFakeQueue(t)
			a := c.adapter
			if a == nil {
				a = adapter(t, "generic")
			}
			args := map[string]any{"prompt": "x"}
			for k, v := range c.args {
				args[k] = v
			}
			k, d := task(t, c.tool, seedance, args, clip, c.inputs...)
			_, err := open(t, s.URL, seedance, a).Render(t.Context(), k)
			if c.refused != "" {
				if verdict(err) != "error" || !strings.Contains(err.Error(), c.refused) || d.last() != "" {
					t.Errorf("got %v with %s, want a failure with %q", err, d.last(), c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for field, v := range s.submits[0].body {
				if strings.Contains(fmt.Sprint(v), "data:") {
					got = append(got, field)
				}
			}
			if !sameSet(got, c.want) {
				t.Errorf("files are in %q, want %q", got, c.want)
			}
		})
	}
}

// The vendor may get files as addresses.
func TestFilesAsAddresses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newFakeQueue(t)
		k, _ := task(t, "animate_photo", "wan3.0-video", map[string]any{"prompt": "x"}, clip, "sourceImageIndex", pngFile(t, 8, 8, color.White))
		if _, err := open(t, s.URL, "wan3.0-video", adapter(t, "generic", "media: data", "media: url")).Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if got := s.submits[0].body["first_frame"]; got != "https://atelier.example/shot.png" {
			t.Errorf("got %v", got)
		}
	})
}

func sameSet(a, b []string) bool {
	set := func(list []string) map[string]bool {
		m := map[string]bool{}
		for _, s := range list {
			m[s] = true
		}
		return m
	}
	return reflect.DeepEqual(set(a), set(b))
}

// jsonOf reads a document for a comparison.
func jsonOf(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
