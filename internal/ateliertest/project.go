package ateliertest

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/clock"
)

// Project asks for a project until it is as the function wants it, for at most
// the given time. The endpoint has no stream, so that it has to be asked again.
func (s *Service) Project(t testing.TB, id atelier.ProjectID, credential string, limit time.Duration, is func(apitype.Project) bool) (p apitype.Project) {
	t.Helper()
	pause := clock.Backoff{First: 10 * time.Millisecond, Most: 300 * time.Millisecond} // however long it takes, the account may read
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(pause.Next()) {
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
	t.Fatalf("after %s the project is %+v", limit, p)
	return p
}

// FinishedProject asks for a project until it is finished.
func (s *Service) FinishedProject(t testing.TB, id atelier.ProjectID, credential string) apitype.Project {
	t.Helper()
	return s.Project(t, id, credential, patience, func(p apitype.Project) bool { return p.Finished })
}
