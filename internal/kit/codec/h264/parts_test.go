package h264_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/codec/h264"
	filmmaker "github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// plantPanic has each part of a name panic until the test ends. Tests that call it are not
// parallel.
func plantPanic(t *testing.T, part string) {
	h264.SetBeforePart(func(name string) {
		if name == part {
			panic("planted")
		}
	})
	t.Cleanup(func() { h264.SetBeforePart(nil) })
}

// A panic on a goroutine of the package is an error of the call, and the next key frame is
// decoded.
func TestPanicsAreErrors(t *testing.T) {
	o := h264.Options{Width: 64, Height: 256, Rate: h264.Rate{Num: 24, Den: 1}, KeyInterval: 2}
	e, frames, _ := film(t, o, scenes[2], 4)
	isPlanted := func(err error, part string) bool {
		var p *h264.PanicError
		return errors.As(err, &p) && p.Part == part && p.Value == "planted" && len(p.Stack) > 0
	}
	for _, part := range []string{"slices", "deblocking"} {
		t.Run(part, func(t *testing.T) {
			d, err := h264.NewDecoder(e.SPS(), e.PPS())
			if err != nil {
				t.Fatal(err)
			}
			plantPanic(t, part)
			if _, err := d.Decode(t.Context(), frames[0].Data); !isPlanted(err, part) {
				t.Errorf("decode: got %v, want the panic", err)
			}
			if _, err := e.Encode(image.NewGray(image.Rect(0, 0, o.Width, o.Height)), false); !isPlanted(err, part) {
				t.Errorf("encode: got %v, want the panic", err)
			}
			h264.SetBeforePart(nil)
			if _, err := d.Decode(t.Context(), frames[1].Data); err == nil {
				t.Error("a frame was decoded that refers to one that was not")
			}
			if _, err := d.Decode(t.Context(), frames[2].Data); err != nil {
				t.Errorf("the next key frame: %v", err)
			}
		})
	}
}

// A decoder that panics while the service reads a clip for its thumbnail leaves the clip
// without one, and the service alive.
func TestServiceOutlivesPanics(t *testing.T) {
	s := ateliertest.Start(t, storetest.SQLite(t))
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	render := startWorker(t, s)
	c := client.New(s.URL, ann.Key)
	for _, tc := range []struct {
		part string // that panics
		want int
	}{{"slices", http.StatusNotFound}, {"deblocking", http.StatusNotFound}, {"", http.StatusOK}} {
		t.Run(tc.part, func(t *testing.T) {
			made, err := c.StartWorkflow(t.Context(), client.Start{Steps: []atelier.StepInput{
				{ID: "film", ToolName: "generate_video", Arguments: map[string]any{"prompt": "a fox"}},
			}})
			if err != nil {
				t.Fatal(err)
			}
			render()
			for range c.Follow(t.Context(), string(made.WorkflowID), 0) { // until it has ended
			}
			plantPanic(t, tc.part)
			_, text := s.Get(t, "/v1/artifacts?limit=1", ann.Key)
			var list struct {
				Data struct {
					Artifacts []struct{ ThumbnailURL string }
				}
			}
			if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Data.Artifacts) != 1 {
				t.Fatalf("the library: %v, %s", err, text)
			}
			resp, err := http.Get(list.Data.Artifacts[0].ThumbnailURL)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != tc.want {
				t.Errorf("the thumbnail: got %d %.200s, want %d", resp.StatusCode, body, tc.want)
			}
			if tc.part != "" {
				s.Logged(t, `decoder panicked.*planted`)
			}
			if status, body := s.Get(t, "/healthz", ""); status != http.StatusOK {
				t.Errorf("the service: got %d %s", status, body)
			}
		})
	}
}

// startWorker connects a worker, and returns what has it do one job with a clip of ours.
func startWorker(t *testing.T, s *ateliertest.Service) (render func()) {
	var clip bytes.Buffer
	_, err := filmmaker.Write(t.Context(), &clip, filmmaker.Options{Width: 64, Height: 48, FPS: 12, Frames: 12, Engine: filmmaker.BuiltIn, TempDir: t.TempDir()},
		func(int) (image.Image, error) { return image.NewGray(image.Rect(0, 0, 64, 48)), nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	known, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	c := client.New(s.URL, s.Account(t, account.NewAccount{Worker: true}, billing.Credits{}).Key)
	w, err := c.Connect(t.Context(), apitype.WorkerSpec{Name: "hand", Network: "fast", Models: known.NativeModels(), Capacity: 1})
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		j, err := w.Claim(t.Context(), 25*time.Second)
		if err != nil || j == nil {
			t.Fatalf("claim: got %v, %v, want a job", j, err)
		}
		a := j.Artifacts[0]
		err = c.UploadResult(t.Context(), j.ProjectID, a.ID, a.ContentType, bytes.NewReader(clip.Bytes()))
		if err == nil {
			done := apitype.ReportedArtifact{ID: a.ID, ContentType: a.ContentType, Width: 64, Height: 48, DurationSeconds: 1, Seed: j.Seed}
			_, err = w.Complete(t.Context(), j.JobID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{done}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
