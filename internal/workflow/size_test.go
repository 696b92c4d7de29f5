package workflow_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	pixels "image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/codec/mp4/mp4test"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"

	"github.com/atelier-project/atelier/internal/worktest"
)

func pictureOf(w, h int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, pixels.NewGray(pixels.Rect(0, 0, w, h))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// clipOf is a clip that lasts so long.
func clipOf(w, h, seconds int) []byte {
	return mp4test.MOV(nil, mp4test.Track{Kind: "vide", Codec: "avc1", Timescale: 600, Duration: uint32(600 * seconds), Width: w, Height: h})
}

// pages is a server of another party with a file at each path.
func pages(t *testing.T, files map[string][]byte) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(files[r.URL.Path]) }))
	t.Cleanup(s.Close)
	return s.URL
}

// own stores an upload of the account and returns its URL.
func (f *fixture) own(key, contentType string, content []byte) string {
	f.T.Helper()
	url := f.upload(ann, key, contentType)
	if _, err := f.Blobs.Put(f.T.Context(), key, bytes.NewReader(content), blob.PutOptions{ContentType: contentType}); err != nil {
		f.T.Fatal(err)
	}
	return url
}

// save stores an asset of the account and returns its URL.
func (f *fixture) save(key, contentType string, content []byte) string {
	f.T.Helper()
	if _, err := f.Blobs.Put(f.T.Context(), key, bytes.NewReader(content), blob.PutOptions{ContentType: contentType}); err != nil {
		f.T.Fatal(err)
	}
	f.Write(func(tx *store.Tx) error {
		return tx.InsertAsset(atelier.Asset{ID: key, Wallet: ann, Bytes: int64(len(content)), ContentType: contentType, SHA256: key, State: atelier.AssetReady, BlobKey: key, CreatedAt: f.Now(), UsedAt: f.Now()})
	})
	url, err := f.Blobs.GetURL(f.T.Context(), key, blob.GetTerms{Until: f.Now().Add(time.Hour)})
	if err != nil {
		f.T.Fatal(err)
	}
	return url
}

// order is the size that a job asks for.
func order(j *atelier.Job) string {
	return fmt.Sprintf("%v by %v for %v seconds", j.Spec.Arguments["width"], j.Spec.Arguments["height"], j.Spec.Arguments["duration"])
}

// estimated is what a plan is estimated to cost.
func (f *fixture) estimated(q workflow.StartRequest) atelier.Money {
	f.T.Helper()
	e, err := f.e.Estimate(f.T.Context(), ann, q)
	if err != nil {
		f.T.Fatal(err)
	}
	return e.Spark()
}

// The size and length of brought media decide what is ordered and what it costs. Those
// of stored media are in the estimate; those of the web are read when it is fetched, and
// are in what is held before the work begins.
func TestSizeOfBroughtMedia(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.runNodeTasks()
		files := map[string][]byte{"/photo": pictureOf(768, 512), "/large": pictureOf(2048, 1024), "/clip": clipOf(768, 512, 9), "/webm": worktest.WebM(768, 512, 9)}
		web := pages(t, files)
		for _, tc := range []struct {
			tool, kind, contentType, path, order string
			unknown, price                       atelier.Money // the estimate of media that is not known, and the price
		}{
			{"edit_image", "image", "image/png", "/photo", "768 by 512 for <nil> seconds", 2_080_000, 2_080_000},
			{"edit_image", "image", "image/png", "/large", "2048 by 1024 for <nil> seconds", 2_080_000, 4_160_000},
			{"video_to_video", "video", "video/quicktime", "/clip", "1072 by 720 for 9 seconds", 15_000_000, 27_000_000},
			{"video_to_video", "video", "video/webm", "/webm", "1072 by 720 for 9 seconds", 15_000_000, 27_000_000},
		} {
			for source, url := range map[string]string{
				"the web": web + tc.path, "an upload": f.own("inputs"+tc.path+"/startingImage-1", tc.contentType, files[tc.path]),
				"an asset": f.save("assets"+tc.path, tc.contentType, files[tc.path]),
			} {
				name := tc.path + " from " + source
				q := sent(plan(step("a", tc.tool, args{"prompt": "x"})), tc.kind, url)
				want := tc.price
				if source == "the web" {
					want = tc.unknown
				}
				if got := f.estimated(q); got != want {
					t.Errorf("%s is estimated at %s, want %s", name, got, want)
				}
				before, spent := f.money()
				w := f.begin(q)
				j := f.must("step/0")
				if got := order(j); got != tc.order {
					t.Errorf("%s is ordered as %s, want %s", name, got, tc.order)
				}
				if _, debit := f.money(); debit-spent != tc.price {
					t.Errorf("%s holds %s, want %s", name, debit-spent, tc.price)
				}
				if err := f.complete(j); err != nil {
					t.Fatal(err)
				}
				if after, _ := f.money(); before-after != tc.price {
					t.Errorf("%s costs %s, want %s", name, before-after, tc.price)
				}
				f.want(w.WorkflowID, "completed a=completed")
			}
		}
		f.Audit()
	})
}

// A picture whose header is false or broken fails the step that takes it, and costs
// nothing; a file that changes between the estimate and the fetch costs what it is then.
func TestHostileSizes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.runNodeTasks()
		bomb := pictureOf(8, 8)
		binary.BigEndian.PutUint32(bomb[16:], 100_000)
		binary.BigEndian.PutUint32(bomb[20:], 100_000)
		binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
		files := map[string][]byte{"/bomb": bomb, "/broken": bomb[:20]}
		web := pages(t, files)
		for name, tc := range map[string]struct{ tool, kind, url, says string }{
			"a bomb":          {"edit_image", "image", web + "/bomb", "100000 by 100000 pixels; the limit is 33177600"},
			"half a header":   {"edit_image", "image", web + "/broken", "not a picture that can be read"},
			"a stored bomb":   {"edit_image", "image", f.own("inputs/bomb/startingImage-1.png", "image/png", bomb), "100000 by 100000 pixels"},
			"a stored broken": {"upscale_image", "image", f.own("inputs/broken/startingImage-1.png", "image/png", bomb[:20]), "not a picture that can be read"},
		} {
			args := args{}
			if tc.tool == "edit_image" {
				args["prompt"] = "x"
			}
			w := f.until(f.begin(sent(plan(step("a", tc.tool, args)), tc.kind, tc.url)).WorkflowID, over)
			if e := w.Steps[0].Error; e == nil || e.Code != "dependency_failed" || !strings.Contains(e.Message, tc.says) {
				t.Errorf("%s: the error is %+v, want %q in it", name, e, tc.says)
			}
		}
		if net, held := f.money(); net != rich.Spark || held != 0 {
			t.Errorf("%s is left and %s held", net, held)
		}
		var asked atomic.Int32
		changing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			_, _ = w.Write(pictureOf(2048, 1024))
		}))
		t.Cleanup(changing.Close)
		q := sent(plan(step("a", "edit_image", args{"prompt": "x"})), "image", changing.URL)
		if f.estimated(q); asked.Load() != 0 {
			t.Error("an estimate fetches media")
		}
		f.begin(q)
		f.done("step/0")
		if net, _ := f.money(); rich.Spark-net != 4_160_000 || asked.Load() != 1 {
			t.Errorf("it cost %s, and was fetched %d times", rich.Spark-net, asked.Load())
		}
		f.Audit()
	})
}

// A step that costs more than was approved, because its media was fetched since, waits
// for another approval. Other steps go on meanwhile, and what is made of the media is
// asked for as well.
func TestCostThatRisesAfterApproval(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.runNodeTasks()
		q := sent(asks(
			fox,
			step("b", "edit_image", args{"prompt": "x", "sourceImageIndex": -1.0}),
			step("c", "edit_image", args{"prompt": "x"}, from("b", 0, "image_index", "sourceImageIndex")),
			step("d", "edit_image", args{"prompt": "x", "sourceImageIndex": -1.0, "aspectRatio": "1:1"}),
		), "image", pages(t, map[string][]byte{"/": pictureOf(2048, 1024)}))
		decide := func(w apitype.Workflow, d workflow.Decision) {
			t.Helper()
			if _, err := f.decide(w.WorkflowID, d); err != nil {
				t.Fatal(err)
			}
		}
		approvedUntil := func(i int, w apitype.Workflow) apitype.Workflow {
			t.Helper()
			decide(w, yes(w))
			return f.until(w.WorkflowID, func(w apitype.Workflow) bool { return w.Steps[i].Status == atelier.StatusWaitingForUser })
		}
		w := approvedUntil(1, f.begin(q))
		f.want(w.WorkflowID, "queued a=queued b=waiting_for_user c=queued d=queued")
		if _, held := f.money(); held != 1_600_000+2_080_000 {
			t.Errorf("%s is held", held)
		}
		f.must("step/0") // is rendered to the end
		f.done("step/3")
		decide(w, yes(w))
		j := f.must("step/1")
		id := j.Spec.Artifacts[0].ID
		f.worker.Upload(j, id)
		if _, err := f.Fleet.Complete(t.Context(), wil, f.worker.ID, j.ID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{{ID: id, Width: 2048, Height: 1024}}}); err != nil {
			t.Fatal(err)
		}
		f.want(w.WorkflowID, "running a=running b=completed c=waiting_for_user d=completed")
		decide(w, workflow.Decision{})
		f.want(w.WorkflowID, "cancelled a=cancelled b=completed c=cancelled d=completed")

		// A resume that answers another step does not approve the cost.
		q.Steps = []atelier.StepInput{step("q", "ask_clarifying_question", args{"question": "which?"}), q.Steps[1]}
		w = approvedUntil(1, f.begin(q))
		_, held := f.money()
		if w, err := f.e.Resume(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), workflow.ResumeRequest{}); err != nil || w.WaitingReason != atelier.WaitCostApproval {
			t.Errorf("resume: it waits for %s, %v", w.WaitingReason, err)
		}
		w = f.want(w.WorkflowID, "waiting_for_user q=completed b=waiting_for_user")
		if _, now := f.money(); now != held {
			t.Errorf("%s is held", now-held)
		}
		f.Advance(6 * time.Minute)
		_, err := f.decide(w.WorkflowID, yes(w))
		wantCode(t, "an old preview", err, atelier.CodeStalePreview, nil)
		f.Audit()
	})
}

// A worker decides how large its result is. A step that takes it, and so costs more than
// was approved, waits for another approval.
func TestCostThatRisesWithAResult(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		w := f.begin(asks(fox, step("b", "edit_image", args{"prompt": "x"}, from("a", 0, "image_index", "sourceImageIndex"))))
		if _, err := f.decide(w.WorkflowID, yes(w)); err != nil {
			t.Fatal(err)
		}
		j := f.must("step/0")
		id := j.Spec.Artifacts[0].ID
		f.worker.Upload(j, id)
		if _, err := f.Fleet.Complete(t.Context(), wil, f.worker.ID, j.ID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{{ID: id, Width: 2048, Height: 1024}}}); err != nil {
			t.Fatal(err)
		}
		w = f.want(w.WorkflowID, "waiting_for_user a=completed b=waiting_for_user")
		if _, held := f.money(); held != 1_600_000 {
			t.Errorf("%s is held or spent", held)
		}
		// An approval that comes too late is asked for once more by a resume.
		f.Advance(6 * time.Minute)
		_, err := f.decide(w.WorkflowID, yes(w))
		wantCode(t, "an old preview", err, atelier.CodeStalePreview, nil)
		for range 3 {
			f.Advance(6 * time.Minute)
			if w, err = f.e.Resume(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), workflow.ResumeRequest{}); err != nil || w.WaitingReason != atelier.WaitCostApproval {
				t.Fatalf("resume: it waits for %s, %v", w.WaitingReason, err)
			}
		}
		if n := len(w.BillingPreviews); n != 2 {
			t.Errorf("%d previews of two costs", n)
		}
		if _, err := f.e.Resume(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), workflow.ResumeRequest{}); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("resume while the preview is valid: %v", err)
		}
		if _, err := f.decide(w.WorkflowID, yes(w)); err != nil {
			t.Fatal(err)
		}
		f.done("step/1")
		f.want(w.WorkflowID, "completed a=completed b=completed")
		f.Audit()
	})
}

// A workflow that runs again asks as well for what costs more than was approved.
func TestCostThatRisesInAReseed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.runNodeTasks()
		url := pages(t, map[string][]byte{"/": pictureOf(2048, 1024)})
		w := f.begin(sent(plan(step("a", "edit_image", args{"prompt": "x"})), "image", url))
		f.done("step/0")
		again, err := f.reseed(workflow.ReseedRequest{Source: atelier.WorkflowID(w.WorkflowID), Approved: true})
		if err != nil {
			t.Fatal(err)
		}
		w = f.until(again.Workflow.WorkflowID, func(w apitype.Workflow) bool { return w.Steps[0].Status != atelier.StatusQueued })
		f.want(w.WorkflowID, "waiting_for_user a=waiting_for_user")
		f.Audit()
	})
}
