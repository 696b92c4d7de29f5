package api_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
)

// urls are the addresses of the picture of a finished workflow, wherever they are
// told.
func (h studio) urls(id, project, artifact string) map[string]string {
	h.t.Helper()
	var read struct{ Workflow apitype.Workflow }
	h.do("GET", workflows+"/"+id, "", 200, &read)
	out := map[string]string{"step": read.Workflow.Steps[0].Artifacts[0].URL, "artifacts": read.Workflow.Artifacts[0].URL}
	for _, e := range read.Workflow.Events {
		if p, ok := e.Payload.(apitype.ArtifactCreated); ok {
			out["event"] = p.URL
		}
	}
	var list struct{ Workflows []apitype.Workflow }
	h.do("GET", workflows, "", 200, &list)
	out["list"] = list.Workflows[0].Artifacts[0].URL
	var log struct{ Events []apitype.WorkflowEvent }
	h.do("GET", workflows+"/"+id+"/events?after=1", "", 200, &log)
	for _, e := range log.Events {
		if p, ok := e.Payload.(apitype.ArtifactCreated); ok {
			out["log"] = p.URL
		}
	}
	var p struct {
		Project struct{ WorkerJobs []struct{ ResultURL string } }
	}
	h.do("GET", "/v2/projects/"+project, "", 200, &p)
	out["project"] = p.Project.WorkerJobs[0].ResultURL
	var d struct{ DownloadURL string }
	h.do("GET", "/v2/image/downloadUrl?type=complete&jobId="+project+"&imageId="+artifact, "", 200, &d)
	out["download"] = d.DownloadURL
	for where, u := range out {
		out[where] = strings.TrimPrefix(u, h.s.URL) // each node of a test has its own address
	}
	return out
}

// Every answer that names a picture gives it the same URL for minutes, on every node, so
// that browsers find it in their caches; and no URL ends earlier than promised.
func TestPicturesKeepTheirURL(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		const window = 5 * time.Minute
		secret := func(c *config.Config) { c.SessionSecret = strings.Repeat("s", 40) }
		h := openStudio(t, o, secret)
		h = h.artist(t)
		id := h.finished()
		var read struct{ Workflow apitype.Workflow }
		h.do("GET", workflows+"/"+id, "", 200, &read)
		project, artifact := read.Workflow.Steps[0].ProjectID, read.Workflow.Artifacts[0].ID

		h.s.Clock.StepFrom(h.s.Clock.Now().Truncate(window).Add(window)) // far from the end of a window
		first := h.urls(id, project, artifact)
		for where, u := range first {
			if u == "" || u != first["step"] {
				t.Errorf("%s: %q, want the URL of the step, %q", where, u, first["step"])
			}
		}
		h.s.Clock.Advance(window / 2)
		other := h
		if o.URL == "" {
			h.s.Stop() // one server has a SQLite file
		}
		other.s = ateliertest.Start(t, o, secret)
		for where, u := range other.urls(id, project, artifact) {
			if u != first["step"] {
				t.Errorf("%s on another node, minutes later: %q, want %q", where, u, first["step"])
			}
		}
		if o.URL == "" {
			h = other
		}
		h.s.Clock.Advance(window)
		later := h.urls(id, project, artifact)["step"]
		if later == first["step"] {
			t.Error("the URL never changes")
		}

		req := newRequest(t, "GET", h.s.URL+later, nil)
		until, err := strconv.ParseInt(req.URL.Query().Get("until"), 10, 64)
		if left := time.Unix(until, 0).Sub(h.s.Clock.Now()); err != nil || left < 48*time.Hour || left > 48*time.Hour+window {
			t.Errorf("the URL is valid for %v (%v), want two days and at most %v more", left, err, window)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("Cache-Control"); resp.StatusCode != 200 || got != "private, max-age=86400, immutable" || resp.Header.Get("Etag") == "" {
			t.Errorf("got %d, Cache-Control %q, ETag %q; want a picture that browsers keep", resp.StatusCode, got, resp.Header.Get("Etag"))
		}
	})
}
