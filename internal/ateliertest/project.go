package ateliertest

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/clock"
)

// Project asks for a project until it is as the function wants it, or is finished and never will be. The endpoint
// has no stream, so that it has to be asked again.
func (s *Service) Project(t testing.TB, id atelier.ProjectID, credential string, is func(apitype.Project) bool) (p apitype.Project) {
	t.Helper()
	pause := clock.Backoff{First: 10 * time.Millisecond, Most: 300 * time.Millisecond} // however long it takes, the account may read
	for !p.Finished {
		clock.Sleep(t.Context(), pause.Next())
		status, body := s.Get(t, "/v2/projects/"+string(id), credential)
		var reply struct {
			Data struct{ Project apitype.Project }
		}
		if err := json.Unmarshal([]byte(body), &reply); err != nil || status != http.StatusOK {
			t.Fatalf("project: %d %s", status, shown([]byte(body)))
		}
		if p = reply.Data.Project; is(p) {
			return p
		}
	}
	t.Fatalf("in the end the project is %+v", p)
	return p
}

// Finish starts a workflow and returns it when it is over.
func Finish(t testing.TB, c *client.Client, s client.Start) apitype.Workflow {
	t.Helper()
	w, err := c.StartWorkflow(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return Finished(t, c, w.WorkflowID)
}

// Finished returns a workflow when it is over.
func Finished(t testing.TB, c *client.Client, id string) apitype.Workflow {
	t.Helper()
	for n, err := range c.Follow(t.Context(), id, -1) {
		if err != nil {
			t.Fatalf("%v after %+v", err, n)
		}
	}
	w, err := c.Workflow(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// FinishedProject asks for a project until it is finished.
func (s *Service) FinishedProject(t testing.TB, id atelier.ProjectID, credential string) apitype.Project {
	t.Helper()
	return s.Project(t, id, credential, func(p apitype.Project) bool { return p.Finished })
}
