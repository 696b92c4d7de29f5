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
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// picture is a real PNG.
var picture = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, pixels.NewGray(pixels.Rect(0, 0, 8, 8))); err != nil {
		panic(err)
	}
	return b.Bytes()
})

// web is another party's server.
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

// runNodeTasks does the tasks of a node until stop is called.
func (f *fixture) runNodeTasks() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := f.Fleet.Serve(ctx, wil, 2, f.e.NodeTasks(), func() {}); err != nil {
			f.T.Errorf("serve: %v", err)
		}
	}()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	f.T.Cleanup(stop)
	return stop
}

// until follows a workflow until it satisfies.
func (f *fixture) until(id string, enough func(apitype.Workflow) bool) apitype.Workflow {
	f.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	news, err := f.e.Follow(ctx, ann, atelier.WorkflowID(id), -1, time.Second)
	if err != nil {
		f.T.Errorf("follow: %v", err)
		return apitype.Workflow{}
	}
	var w apitype.Workflow
	for _, err := range news {
		if err == nil {
			w, err = f.e.Workflow(ctx, ann, atelier.WorkflowID(id))
		}
		if err != nil {
			f.T.Errorf("follow: %v", err)
		}
		if err != nil || enough(w) {
			return w
		}
	}
	f.T.Errorf("it stays at %s: %s", statuses(w), types(w))
	return w
}

func over(w apitype.Workflow) bool { return w.Status.Terminal() }

// Media from outside is fetched by the node and given to the worker as a file;
// what cannot be had fails the steps that need it, with a plain reason, and no
// others.
func TestMediaFromOutside(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.runNodeTasks()
		url := web(t)
		q := plan(
			step("good", "upscale_image", args{"sourceImageIndex": -1.0}),
			step("bound", "upscale_image", args{}, from(atelier.InputMedia, 0, "image_index", "sourceImageIndex")),
			step("gone", "upscale_image", args{"sourceImageIndex": -2.0}),
			step("wrong", "upscale_video", args{}),
			step("dead", "remove_background", args{"source_image_url": "http://127.0.0.1:1/x.png"}),
			step("broken", "generate_video", args{"prompt": "x"}, atelier.Binding{SourceStepID: atelier.InputMedia, SourceArtifactIndex: 2,
				TargetArgument: "referenceImageIndices", Transform: "image_index"}),
			step("after", "upscale_image", args{}, from("gone", 0, "image_index", "sourceImageIndex")),
			step("url", "remove_background", args{"source_image_url": url + "/fox.png"}),
			fox,
		)
		for _, m := range []struct{ kind, path string }{{"image", "/fox.png"}, {"image", "/nothing.png"}, {"video", "/fox.png"}, {"image", "/broken"}, {"audio", "/unused"}} {
			q = sent(q, m.kind, url+m.path)
		}
		f.serve(func(j *atelier.Job) error {
			if j.Owner.Part == "step/0" {
				f.wantFile(j.Spec.Inputs[0].Key, picture())
			}
			return f.complete(j)
		})
		w := f.until(f.begin(q).WorkflowID, over)
		f.want(w.WorkflowID, "partial_failure good=completed bound=completed gone=failed wrong=failed dead=failed broken=completed after=failed url=completed a=completed")
		for i, says := range map[int]string{2: "answered with status 404", 3: "must be of the kind video, but is image/png", 4: "cannot be reached", 6: `"gone", which has none`} {
			if e := w.Steps[i].Error; e == nil || e.Code != "dependency_failed" || e.Classification != "validation" || !strings.Contains(e.Message, says) {
				t.Errorf("the error of %s is %+v, want %q in it", w.Steps[i].ID, e, says)
			}
		}
		if w.Error.StepID != "gone" {
			t.Errorf("the error of the whole is %+v", w.Error)
		}
		if n := len(f.jobs(w.WorkflowID, "file/")); n != 6 {
			t.Errorf("%d files were fetched, want 6: each once, and not the one that no step reads", n)
		}
		f.Audit()
	})
}

// serve has the worker do every job until the test ends.
func (f *fixture) serve(do func(*atelier.Job) error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			j, err := f.Fleet.ClaimJob(ctx, wil, f.worker.ID, 10*time.Second)
			if j != nil {
				err = do(j)
			}
			if err != nil && ctx.Err() == nil {
				f.T.Errorf("the worker: %v", err)
				return
			}
		}
	}()
	f.T.Cleanup(func() { cancel(); <-done })
}

// jobs are those of the parts of a workflow whose names begin so.
func (f *fixture) jobs(id, prefix string) (out []store.StoredJob) {
	f.T.Helper()
	err := f.DB.Read(context.Background(), func(tx *store.Tx) error {
		all, err := storetest.JobsOf(tx, atelier.JobOwner{Kind: "workflow", ID: id})
		for _, j := range all {
			if strings.HasPrefix(j.Owner.Part, prefix) {
				out = append(out, j)
			}
		}
		return err
	})
	if err != nil {
		f.T.Fatal(err)
	}
	return out
}

func (f *fixture) wantFile(key string, want []byte) {
	f.T.Helper()
	file, _, err := f.Blobs.Open(context.Background(), key)
	if err != nil {
		f.T.Errorf("open %s: %v", key, err)
		return
	}
	defer file.Close()
	if got, err := io.ReadAll(file); err != nil || !bytes.Equal(got, want) {
		f.T.Errorf("%s holds %d bytes, %v, want %d", key, len(got), err, len(want))
	}
}

// newServedFixture has a storage that clients reach over HTTP, at url.
func newServedFixture(t *testing.T) (f *fixture, url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := f.Blobs.Serve(w, r, strings.TrimPrefix(r.URL.Path, "/storage/")); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
		}
	}))
	t.Cleanup(s.Close)
	url = s.URL + "/storage"
	return newFixture(t, storetest.SQLite(t), func(o *options) { o.StorageURL = url }), url
}

// What the account has in our storage already is not fetched, whatever its
// address is signed with. What others have there is read as a stranger reads
// it: with a valid signature.
func TestMediaOfOurOwn(t *testing.T) {
	t.Parallel()
	f, storage := newServedFixture(t)
	f.runNodeTasks()
	bare := func(url string) string { url, _, _ = strings.Cut(url, "?"); return url }
	mine := f.upload(ann, "uploads/mine.png", "image/png")
	film := f.upload(ann, "uploads/film.mp4", "video/mp4")
	theirs := f.upload(wil, "uploads/theirs.png", "image/png")
	q := plan(
		step("signed", "upscale_image", args{"sourceImageIndex": -1.0}),
		step("bare", "upscale_image", args{"sourceImageIndex": -2.0}),
		step("theirs", "upscale_image", args{"sourceImageIndex": -3.0}),
		step("shared", "upscale_image", args{"sourceImageIndex": -4.0}),
		step("missing", "upscale_image", args{"sourceImageIndex": -5.0}),
		step("film", "upscale_image", args{"sourceImageIndex": -6.0}),
	)
	for _, url := range []string{mine, bare(mine), bare(theirs), theirs, storage + "/uploads/none.png", film} {
		q = sent(q, "image", url)
	}
	w := f.begin(q)
	if got := inputs(f.must("step/0")) + " " + inputs(f.must("step/1")); got != "sourceImageIndex=mine sourceImageIndex=mine" {
		t.Errorf("they read %s", got)
	}
	w = f.until(w.WorkflowID, func(w apitype.Workflow) bool {
		return w.Steps[2].Status.Terminal() && w.Steps[3].Status.Terminal() && w.Steps[4].Status.Terminal() && w.Steps[5].Status.Terminal()
	})
	for _, j := range f.jobs(w.WorkflowID, "file/") {
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
	f := newFixture(t, storetest.SQLite(t))
	asked := make(chan struct{}, 2)
	var hang sync.Once
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		hang.Do(func() { <-r.Context().Done() })
		_, _ = w.Write(picture())
	}))
	t.Cleanup(s.Close)
	w := f.begin(sent(plan(step("a", "upscale_image", args{})), "image", s.URL+"/fox.png"))
	f.want(w.WorkflowID, "queued a=queued")
	leave := f.runNodeTasks()
	<-asked
	leave()
	f.want(w.WorkflowID, "queued a=queued")
	f.runNodeTasks()
	f.done("step/0")
	w = f.want(w.WorkflowID, "completed a=completed")
	if jobs := f.jobs(w.WorkflowID, "file/"); len(jobs) != 1 || jobs[0].Attempt != 2 || jobs[0].State != atelier.JobCompleted {
		t.Errorf("the fetches are %+v", jobs)
	}
}

// A workflow that is cancelled while its media is fetched is over at once, and
// what comes of the fetch changes nothing.
func TestCancelDuringFetch(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	asked, answer := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-answer
		_, _ = w.Write(picture())
	}))
	t.Cleanup(s.Close)
	w := f.begin(sent(plan(step("b", "upscale_image", args{}), fox), "image", s.URL+"/fox.png"))
	leave := f.runNodeTasks()
	<-asked
	if c, err := f.e.Cancel(t.Context(), ann, atelier.WorkflowID(w.WorkflowID), "enough"); err != nil || !c.Transitioned || !c.InFlight {
		t.Errorf("cancel: %+v, %v", c, err)
	}
	before := types(f.get(w.WorkflowID))
	close(answer)
	leave()
	w = f.want(w.WorkflowID, "cancelled b=cancelled a=cancelled")
	if types(w) != before {
		t.Errorf("the log went on: %s", types(w))
	}
	if jobs := f.jobs(w.WorkflowID, ""); len(jobs) != 2 || jobs[0].State != atelier.JobCancelled || jobs[1].State != atelier.JobCancelled {
		t.Errorf("the jobs are %+v", jobs)
	}
	if _, debit := f.money(); debit != 0 {
		t.Errorf("%s is held", debit)
	}
}

// An upload that a workflow reads is kept from then on.
func TestUploadsThatAreRead(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		read, named := f.upload(ann, "inputs/a/startingImage-1.png", "image/png"), f.upload(ann, "inputs/b/startingImage-1.png", "image/png")
		f.begin(sent(sent(plan(step("a", "upscale_image", args{"sourceImageIndex": -1.0})), "image", read), "image", named))
		for key, want := range map[string]bool{"inputs/a/startingImage-1.png": true, "inputs/b/startingImage-1.png": false} {
			var found []store.Upload
			err := f.DB.Read(t.Context(), func(tx *store.Tx) (err error) {
				found, err = tx.Uploads(atelier.ProjectID(key), "startingImage", ann)
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
		f := newFixture(t, o, func(o *options) { o.Media.UploadBytesADay = int64(len(picture())) - 1 })
		f.runNodeTasks()
		w := f.until(f.begin(sent(plan(step("a", "upscale_image", args{"sourceImageIndex": -1.0})), "image", web(t)+"/fox.png")).WorkflowID, over)
		if e := w.Steps[0].Error; e == nil || !strings.Contains(e.Message, "may still upload on this UTC day") {
			t.Errorf("the step's error is %+v", e)
		}
		for entry, err := range f.Blobs.List(t.Context(), "", "") {
			t.Errorf("stored %s, %v", entry.Key, err)
		}
	})
}
