package workflow_test

import (
	"bytes"
	"context"
	pixels "image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

// picture is a real PNG.
var picture = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, pixels.NewGray(pixels.Rect(0, 0, 8, 8))); err != nil {
		panic(err)
	}
	return b.Bytes()
})

// web is somebody else's server.
func web(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/fox.png":
			_, _ = w.Write(picture())
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// node has the house do the chores of a node, until the function returned is
// called.
func (h *house) node() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := h.fleet.Serve(ctx, wil, 2, h.e.NodeTasks()); err != nil {
			h.t.Errorf("serve: %v", err)
		}
	}()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	h.t.Cleanup(stop)
	return stop
}

// until follows a workflow until it satisfies.
func (h *house) until(id string, enough func(snapshot.Workflow) bool) snapshot.Workflow {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	news, err := h.e.Follow(ctx, ann, atelier.WorkflowID(id), -1, time.Second)
	if err != nil {
		h.t.Errorf("follow: %v", err)
		return snapshot.Workflow{}
	}
	var w snapshot.Workflow
	for _, err := range news {
		if err == nil {
			w, err = h.e.Workflow(ctx, ann, atelier.WorkflowID(id))
		}
		if err != nil {
			h.t.Errorf("follow: %v", err)
		}
		if err != nil || enough(w) {
			return w
		}
	}
	h.t.Errorf("it stays at %s: %s", statuses(w), types(w))
	return w
}

func over(w snapshot.Workflow) bool { return w.Status.Terminal() }

// Media from outside is fetched by the node and given to the worker as a file;
// what cannot be had fails the steps that need it, with a plain reason, and no
// others.
func TestMediaFromOutside(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHouse(t, o)
		h.node()
		url := web(t)
		dead := httptest.NewServer(nil)
		dead.Close()
		q := plan(
			step("good", "upscale_image", args{"sourceImageIndex": -1.0}),
			step("bound", "upscale_image", args{}, from(atelier.InputMedia, 0, "image_index", "sourceImageIndex")),
			step("gone", "upscale_image", args{"sourceImageIndex": -2.0}),
			step("wrong", "upscale_video", args{}),
			step("dead", "remove_background", args{"source_image_url": dead.URL + "/x.png"}),
			step("broken", "generate_video", args{"prompt": "x"}, atelier.Binding{SourceStepID: atelier.InputMedia, SourceArtifactIndex: 2,
				TargetArgument: "referenceImageIndices", Transform: "image_index"}),
			step("after", "upscale_image", args{}, from("gone", 0, "image_index", "sourceImageIndex")),
			step("url", "remove_background", args{"source_image_url": url + "/fox.png"}),
			fox,
		)
		for _, m := range []struct{ kind, path string }{{"image", "/fox.png"}, {"image", "/nothing.png"}, {"video", "/fox.png"}, {"image", "/broken"}, {"audio", "/unused"}} {
			q = sent(q, m.kind, url+m.path)
		}
		h.serve(func(j *atelier.Job) error {
			if j.Owner.Part == "step/0" {
				h.wantFile(j.Spec.Inputs[0].Key, picture())
			}
			return h.complete(j)
		})
		w := h.until(h.begin(q).WorkflowID, over)
		h.want(w.WorkflowID, "partial_failure good=completed bound=completed gone=failed wrong=failed dead=failed broken=completed after=failed url=completed a=completed")
		for i, says := range map[int]string{2: "answered with status 404", 3: "must be of the kind video, but is image/png", 4: "cannot be reached", 6: `"gone", which has none`} {
			if e := w.Steps[i].Error; e == nil || e.Code != "dependency_failed" || e.Classification != "validation" || !strings.Contains(e.Message, says) {
				t.Errorf("the error of %s is %+v, want %q in it", w.Steps[i].ID, e, says)
			}
		}
		if w.Error.StepID != "gone" {
			t.Errorf("the error of the whole is %+v", w.Error)
		}
		if n := len(h.jobs(w.WorkflowID, "file/")); n != 6 {
			t.Errorf("%d files were fetched, want 6: each once, and not the one that nobody reads", n)
		}
		h.audit()
	})
}

// serve has the house's worker do every job, until the test ends.
func (h *house) serve(do func(*atelier.Job) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			j, err := h.fleet.ClaimJob(ctx, wil, h.hand, 10*time.Second)
			if j != nil {
				err = do(j)
			}
			if err != nil && ctx.Err() == nil {
				h.t.Errorf("the worker: %v", err)
				return
			}
		}
	}()
	h.t.Cleanup(func() { cancel(); <-done })
}

// jobs are those of the parts of a workflow whose names begin so.
func (h *house) jobs(id, prefix string) (out []store.StoredJob) {
	h.t.Helper()
	err := h.db.Read(context.Background(), func(tx *store.Tx) error {
		all, err := tx.JobsOf(atelier.JobOwner{Kind: "workflow", ID: id})
		for _, j := range all {
			if strings.HasPrefix(j.Owner.Part, prefix) {
				out = append(out, j)
			}
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func (h *house) wantFile(key string, want []byte) {
	h.t.Helper()
	file, _, err := h.blobs.Open(context.Background(), key)
	if err != nil {
		h.t.Errorf("open %s: %v", key, err)
		return
	}
	defer file.Close()
	if got, err := io.ReadAll(file); err != nil || !bytes.Equal(got, want) {
		h.t.Errorf("%s holds %d bytes, %v, want %d", key, len(got), err, len(want))
	}
}

// door lets the world read the house's storage, as a node does.
func door(h *house) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h.blobs.Serve(w, r, strings.TrimPrefix(r.URL.Path, "/storage/")); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
		}
	}))
	h.t.Cleanup(s.Close)
	h.url = s.URL + "/storage"
}

// What the account has in our storage already is not fetched, whatever its
// address is signed with. What others have there is read as a stranger reads
// it: with a valid signature.
func TestMediaOfOurOwn(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t), door)
	h.node()
	bare := func(url string) string { url, _, _ = strings.Cut(url, "?"); return url }
	mine := h.upload(ann, "uploads/mine.png", "image/png")
	film := h.upload(ann, "uploads/film.mp4", "video/mp4")
	theirs := h.upload(wil, "uploads/theirs.png", "image/png")
	q := plan(
		step("signed", "upscale_image", args{"sourceImageIndex": -1.0}),
		step("bare", "upscale_image", args{"sourceImageIndex": -2.0}),
		step("theirs", "upscale_image", args{"sourceImageIndex": -3.0}),
		step("shared", "upscale_image", args{"sourceImageIndex": -4.0}),
		step("missing", "upscale_image", args{"sourceImageIndex": -5.0}),
		step("film", "upscale_image", args{"sourceImageIndex": -6.0}),
	)
	for _, url := range []string{mine, bare(mine), bare(theirs), theirs, h.url + "/uploads/none.png", film} {
		q = sent(q, "image", url)
	}
	w := h.begin(q)
	if got := inputs(h.must("step/0")) + " " + inputs(h.must("step/1")); got != "sourceImageIndex=mine sourceImageIndex=mine" {
		t.Errorf("they read %s", got)
	}
	w = h.until(w.WorkflowID, func(w snapshot.Workflow) bool {
		return w.Steps[2].Status.Terminal() && w.Steps[3].Status.Terminal() && w.Steps[4].Status.Terminal() && w.Steps[5].Status.Terminal()
	})
	for _, j := range h.jobs(w.WorkflowID, "file/") {
		if j.Owner.Part == "file/0" || j.Owner.Part == "file/1" || j.Owner.Part == "file/5" {
			t.Errorf("%s was fetched: %v", j.Owner.Part, j.Spec.Arguments)
		}
	}
	for i, says := range map[int]string{2: "answered with status 403", 4: "answered with status 403", 5: "must be of the kind image, but is video/mp4"} {
		if e := w.Steps[i].Error; e == nil || !strings.Contains(e.Message, says) {
			t.Errorf("the error of %s is %+v, want %q in it", w.Steps[i].ID, e, says)
		}
	}
	if e := w.Steps[3].Error; e == nil || !strings.Contains(e.Message, "must be of the kind image") { // its bytes are no picture
		t.Errorf("what was shared was read as %+v", e)
	}
}

// A node that leaves in the middle of a fetch leaves it to the next.
func TestFetchSurvivesItsNode(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t))
	asked := make(chan struct{}, 2)
	var hang sync.Once
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		hang.Do(func() { <-r.Context().Done() })
		_, _ = w.Write(picture())
	}))
	t.Cleanup(s.Close)
	w := h.begin(sent(plan(step("a", "upscale_image", args{})), "image", s.URL+"/fox.png"))
	h.want(w.WorkflowID, "queued a=queued")
	leave := h.node()
	<-asked
	leave()
	h.want(w.WorkflowID, "queued a=queued")
	h.node()
	h.done("step/0")
	w = h.want(w.WorkflowID, "completed a=completed")
	if jobs := h.jobs(w.WorkflowID, "file/"); len(jobs) != 1 || jobs[0].Attempt != 2 || jobs[0].State != atelier.JobCompleted {
		t.Errorf("the fetches are %+v", jobs)
	}
}

// A workflow that is cancelled while its media is fetched is over at once, and
// what comes of the fetch changes nothing.
func TestCancelDuringFetch(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t))
	asked, answer := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-answer
		_, _ = w.Write(picture())
	}))
	t.Cleanup(s.Close)
	w := h.begin(sent(plan(step("b", "upscale_image", args{}), fox), "image", s.URL+"/fox.png"))
	leave := h.node()
	<-asked
	if c, err := h.e.Cancel(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), "enough"); err != nil || !c.Transitioned || !c.InFlight {
		t.Errorf("cancel: %+v, %v", c, err)
	}
	before := types(h.get(w.WorkflowID))
	close(answer)
	leave()
	w = h.want(w.WorkflowID, "cancelled b=cancelled a=cancelled")
	if types(w) != before {
		t.Errorf("the log went on: %s", types(w))
	}
	if jobs := h.jobs(w.WorkflowID, ""); len(jobs) != 2 || jobs[0].State != atelier.JobCancelled || jobs[1].State != atelier.JobCancelled {
		t.Errorf("the jobs are %+v", jobs)
	}
	if _, debit := h.money(); debit != 0 {
		t.Errorf("%s is held", debit)
	}
}

// An upload that a workflow reads is kept from then on.
func TestUploadsThatAreRead(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		h := newHouse(t, o)
		read, named := h.upload(ann, "inputs/a/startingImage-1.png", "image/png"), h.upload(ann, "inputs/b/startingImage-1.png", "image/png")
		h.begin(sent(sent(plan(step("a", "upscale_image", args{"sourceImageIndex": -1.0})), "image", read), "image", named))
		for key, want := range map[string]bool{"inputs/a/startingImage-1.png": true, "inputs/b/startingImage-1.png": false} {
			var found []store.Upload
			err := h.db.Read(t.Context(), func(tx *store.Tx) (err error) {
				found, err = tx.Uploads(key, "startingImage", ann)
				return err
			})
			if err != nil || len(found) != 1 || found[0].UsedAt.IsZero() == want {
				t.Errorf("%s: %+v, %v; want it to be used: %v", key, found, err, want)
			}
		}
	})
}

// What is fetched for an account is counted, and what is too much is not stored.
func TestFetchedMediaIsCounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		sizes := make(chan int64, 10)
		h := newHouse(t, o, func(h *house) {
			h.set = func(o *workflow.Options) {
				o.CountFetched = func(_ context.Context, w atelier.Wallet, size int64) error {
					sizes <- size
					return atelier.Errorf(atelier.CodeRateLimited, "%s has enough for today.", w)
				}
			}
		})
		h.node()
		w := h.until(h.begin(sent(plan(step("a", "upscale_image", args{"sourceImageIndex": -1.0})), "image", web(t)+"/fox.png")).WorkflowID, over)
		if size := <-sizes; size != int64(len(picture())) {
			t.Errorf("counted %d bytes, want %d", size, len(picture()))
		}
		if e := w.Steps[0].Error; e == nil || !strings.Contains(e.Message, "0xann has enough for today.") {
			t.Errorf("the step's error is %+v", e)
		}
		for entry, err := range h.blobs.List(t.Context(), "", "") {
			t.Errorf("stored %s, %v", entry.Key, err)
		}
	})
}
