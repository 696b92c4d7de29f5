package workflow_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// upload makes an object of an account, and returns its address.
func (f *fixture) upload(w atelier.Wallet, key, contentType string) string {
	f.T.Helper()
	ctx := context.Background()
	if _, err := f.Blobs.Put(ctx, key, strings.NewReader("bytes"), blob.PutOptions{ContentType: contentType}); err != nil {
		f.T.Fatal(err)
	}
	err := f.DB.Write(ctx, func(tx *store.Tx) error {
		return tx.InsertUpload(store.Upload{Key: key, ProjectID: atelier.ProjectID(key), Slot: "startingImage", Wallet: w, ContentType: contentType, CreatedAt: f.Now(), OpenUntil: f.Now()})
	})
	if err != nil {
		f.T.Fatal(err)
	}
	url, err := f.Blobs.GetURL(ctx, key, blob.GetTerms{Until: f.Now().Add(1 << 40)})
	if err != nil {
		f.T.Fatal(err)
	}
	return url
}

// inputs tells what a job reads, and in which order, each file by the last
// element of its key without its extension.
func inputs(j *atelier.Job) string {
	var out []string
	for _, in := range j.Spec.Inputs {
		name := in.Key[strings.LastIndex(in.Key, "/")+1:]
		if i := strings.LastIndex(name, "-1-"); i >= 0 {
			name = name[i+len("-1-"):] // of a result: the id follows the project and the lease, and what makes the key its own
			name = name[:strings.LastIndex(name, "-")]
		}
		name, _, _ = strings.Cut(name, ".")
		out = append(out, in.Argument+"="+name)
	}
	return strings.Join(out, " ")
}

// made names the artifacts of a step, as inputs does.
func made(w apitype.Workflow, step int) (ids []any) {
	for _, a := range w.Steps[step].Artifacts {
		ids = append(ids, a.ID)
	}
	return ids
}

// Every way to address media ends in a file: bindings, indices of results and
// of uploads, in lists and inside of objects. What is bound to a list comes
// after what it names itself.
func TestSourcesBecomeInputs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	q := plan(
		image("a", "a fox", "numberOfVariations", 2.0),
		image("b", "a hen"),
		step("list", "generate_video", args{"prompt": "x", "referenceImageIndices": []any{2.0, -1.0}},
			from("a", 1, "image_index", "referenceImageIndices"), from("a", 0, "image_url", "referenceImageIndices"),
			from(atelier.InputMedia, 1, "image_index", "referenceImageIndices")),
		step("frames", "generate_video", args{"prompt": "x", "videoModel": "minimax-h3-r2v", "keyframes": []any{
			args{"imageIndex": 1.0, "atSeconds": 0.0}, args{"imageIndex": -2.0, "atSeconds": 2.0}}}),
		step("any", "extract_metadata", args{"fileIndex": 3.0}),
		step("sent", "extract_metadata", args{"fileIndex": -2.0}),
		step("bound", "extract_metadata", args{}, from("a", 1, "artifact_url", "fileIndex")),
		step("wins", "upscale_image", args{"sourceImageIndex": 0.0}, from("b", 0, "image_index", "sourceImageIndex")),
		step("data", "remove_background", args{}, from("b", 0, "artifact_data_uri", "source_image_url")),
	)
	q = sent(q, "image", f.upload(ann, "uploads/one.png", "image/png"))
	q = sent(q, "video", f.upload(ann, "uploads/two.mp4", "video/mp4"))
	q = sent(q, "image", f.upload(ann, "uploads/three.png", "image/png"))
	w := f.begin(q)
	jobs := f.all()
	wantInputs(t, jobs["step/0"], "")
	wantInputs(t, jobs["step/5"], "fileIndex=two")
	f.completeAll(jobs)
	w = f.get(w.WorkflowID)
	a, b := made(w, 0), made(w, 1)
	jobs = f.all()
	wantInputs(t, jobs["step/2"], "referenceImageIndices=%v referenceImageIndices=one referenceImageIndices=%v referenceImageIndices=%v referenceImageIndices=three", b[0], a[1], a[0])
	wantInputs(t, jobs["step/3"], "keyframes[0].imageIndex=%v keyframes[1].imageIndex=three", a[1])
	wantInputs(t, jobs["step/6"], "fileIndex=%v", a[1])
	wantInputs(t, jobs["step/7"], "sourceImageIndex=%v", b[0])
	wantInputs(t, jobs["step/8"], "source_image_url=%v", b[0])
	if got := fmt.Sprint(jobs["step/3"].Spec.Arguments["keyframes"]); got != "[map[atSeconds:0] map[atSeconds:2]]" {
		t.Errorf("the keyframes are %s", got)
	}
	f.completeAll(jobs)
	w = f.get(w.WorkflowID)
	jobs = f.all()
	wantInputs(t, jobs["step/4"], "fileIndex=%v", made(w, 2)[0])
	f.completeAll(jobs)
	f.want(w.WorkflowID, "completed a=completed b=completed list=completed frames=completed any=completed sent=completed bound=completed wins=completed data=completed")
	f.Audit()
}

func wantInputs(t *testing.T, j *atelier.Job, format string, ids ...any) {
	t.Helper()
	if j == nil {
		t.Errorf("there is no job that reads "+format, ids...)
		return
	}
	if got, want := inputs(j), fmt.Sprintf(format, ids...); got != want {
		t.Errorf("%s reads %q, want %q", j.Owner.Part, got, want)
	}
}

// all claims every job there is, by its part.
func (f *fixture) all() map[string]*atelier.Job {
	f.T.Helper()
	jobs := map[string]*atelier.Job{}
	for j := f.claim(); j != nil; j = f.claim() {
		jobs[j.Owner.Part] = j
	}
	return jobs
}

func (f *fixture) completeAll(jobs map[string]*atelier.Job) {
	f.T.Helper()
	for part, j := range jobs {
		if err := f.complete(j); err != nil {
			f.T.Fatalf("complete %s: %v", part, err)
		}
	}
}

// What is not a file is handed over as a value: addresses, ids and what other
// steps have found out.
func TestValuesAreHandedOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	video := f.upload(ann, "uploads/two.mp4", "video/mp4")
	q := sent(plan(
		image("a", "a fox"),
		step("url", "generate_speech", nil, from("a", 0, "image_url", "prompt")),
		step("ref", "generate_speech", nil, from("a", 0, "asset_ref", "prompt")),
		step("sent", "generate_speech", nil, from(atelier.InputMedia, 0, "artifact_url", "prompt")),
		step("far", "generate_speech", nil, from(atelier.InputMedia, 1, "artifact_url", "prompt")),
		step("found", "analyze_video", args{"query": "what is said?"}),
		step("cues", "add_subtitles", nil, from("found", 0, "subtitle_cues", "cues")),
		step("srt", "add_subtitles", nil, from("found", 0, "subtitle_srt", "srt")),
	), "video", video)
	q = with(q, "audio") // which no step reads, so that it is not fetched
	w := f.begin(q)
	jobs := f.all()
	if got := jobs["step/3"].Spec.Arguments["prompt"]; got != video {
		t.Errorf("got %v, want %s", got, video)
	}
	if got, want := jobs["step/4"].Spec.Arguments["prompt"], q.Media[1].URL; got != want {
		t.Errorf("got %v, want %s", got, want)
	}
	f.completeAll(jobs)
	w = f.get(w.WorkflowID)
	id := fmt.Sprint(made(w, 0)[0])
	jobs = f.all()
	if got := jobs["step/2"].Spec.Arguments["prompt"]; got != id {
		t.Errorf("got %v, want %s", got, id)
	}
	order, err := f.Fleet.Assign(t.Context(), *jobs["step/1"])
	if url := fmt.Sprint(order.Arguments["prompt"]); err != nil || !strings.HasPrefix(url, "http://storage.example/storage/results/") || !regexp.MustCompile(id+`-[A-Z2-7]{12}\.png\?`).MatchString(url) {
		t.Errorf("got %s, %v, want the address of %s", url, err, id)
	}
	if got := fmt.Sprint(jobs["step/6"].Spec.Arguments["cues"]); got != "[map[endSeconds:1 startSeconds:0 text:hello]]" {
		t.Errorf("the cues are %s", got)
	}
	f.completeAll(jobs)
	w = f.want(w.WorkflowID, "partial_failure a=completed url=completed ref=completed sent=completed far=completed found=completed cues=completed srt=failed")
	if e := w.Steps[7].Error; e.Classification != "validation" || !strings.Contains(e.Message, "holds no srt") {
		t.Errorf("the error is %+v", e)
	}
}

// A binding that is not required may have no result. Its step continues without
// it where it can, and fails where it cannot.
func TestOptionalSources(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	optional := func(b atelier.Binding) atelier.Binding { b.Required = false; return b }
	w := f.begin(plan(
		image("a", "a fox"),
		image("b", "a hen", "numberOfVariations", 3.0),
		upscale("needs", "a", false),
		step("some", "generate_video", args{"prompt": "x"}, optional(from("a", 0, "image_index", "referenceImageIndices")), optional(from("b", 0, "image_index", "referenceImageIndices"))),
		step("each", "animate_photo", args{"prompt": "x"}, optional(from("b", 0, "image_index", "sourceImageIndices")), optional(from("b", 2, "image_index", "sourceImageIndices"))),
		step("found", "analyze_image", args{"query": "what is said?"}, from("b", 1, "image_index", "sourceImageIndex")),
		step("srt", "add_subtitles", args{"auto_transcribe": true}, from("some", 0, "video_index", "sourceVideoIndex"), optional(from("found", 0, "subtitle_srt", "srt"))),
	))
	jobs := f.all()
	f.worker.MustFail(jobs["step/0"], atelier.FailError)
	if err := f.complete(jobs["step/1"], 2); err != nil {
		t.Fatal(err)
	}
	w = f.get(w.WorkflowID)
	jobs = f.all()
	if len(jobs) != 3 {
		t.Errorf("got the jobs %v, want those of the steps 3, 4 and 5", slices.Sorted(maps.Keys(jobs)))
	}
	wantInputs(t, jobs["step/3"], "referenceImageIndices=%v", made(w, 1)[0])
	wantInputs(t, jobs["step/4"], "sourceImageIndices=%v", made(w, 1)[0])
	f.completeAll(jobs)
	jobs = f.all()
	if j := jobs["step/6"]; j == nil || j.Spec.Arguments["srt"] != nil {
		t.Errorf("the job is %+v, want one without srt", j)
	}
	f.completeAll(jobs)
	w = f.want(w.WorkflowID, "partial_failure a=failed b=partial_failure needs=failed some=completed each=completed found=completed srt=completed")
	if e := w.Steps[2].Error; e.Classification != "validation" || !strings.Contains(e.Message, "sourceImageIndex") {
		t.Errorf("the error is %+v", e)
	}
	f.Audit()
}

// Results are in the order in which they were asked for, however the worker
// names them.
func TestResultsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	w := f.begin(plan(image("a", "a fox", "numberOfVariations", 4.0), step("b", "upscale_image", nil, from("a", 2, "image_index", "sourceImageIndex"))))
	j := f.must("step/0")
	slots := slices.Clone(j.Spec.Artifacts)
	slices.Reverse(slots)
	if err := f.worker.Deliver(j, slots, nil); err != nil {
		t.Fatal(err)
	}
	w = f.get(w.WorkflowID)
	for i, id := range made(w, 0) {
		if id != j.Spec.Artifacts[i].ID {
			t.Errorf("artifact %d is %s, want %s", i, id, j.Spec.Artifacts[i].ID)
		}
	}
	wantInputs(t, f.must("step/1"), "sourceImageIndex=%s", j.Spec.Artifacts[2].ID)
}
