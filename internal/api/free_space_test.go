package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
)

// With too little free space nothing new is stored, of any kind. What is there can be read,
// cancelled and deleted, and work under way ends. On PostgreSQL only the disk of the media
// counts, for what makes media.
func TestNothingIsStoredWithoutSpace(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		dir := t.TempDir()
		before := ateliertest.Start(t, o, func(c *config.Config) { c.DataDir = keptDir(c, o, dir) })
		ann := before.Account(t, account.NewAccount{Username: "ann"}, billing.Credits{Spark: 100 * atelier.MoneyUnit})
		wil := before.Account(t, account.NewAccount{Username: "wil", Worker: true}, billing.Credits{})
		made := studio{client: client{t: t, s: before, key: ann.Key}, worker: before.Worker(t, wil)}
		artifact, template, done := made.artifact().ArtifactID, made.template(), ""
		done = made.finished()
		running, _ := made.workflow("a hen")
		paused := made.pausedRun()
		before.Stop()

		after := ateliertest.Start(t, o, func(c *config.Config) { c.DataDir, c.Limits.FreeSpaceBytes = keptDir(c, o, dir), 1<<60 })
		h := client{t: t, s: after, key: ann.Key}
		rows := 503 // on the disk that is full
		if o.URL != "" {
			rows = 201
		}
		for _, tt := range []struct {
			method, path, body string
			want               int
		}{
			{"POST", workflows, `{"input": {"steps": [{"id": "fox", "toolName": "generate_image", "arguments": {"prompt": "a fox"}}]}}`, 503},
			{"POST", workflows + "/" + done + "/reseed", `{}`, 503},
			{"POST", runs, `{"messages": [{"role": "user", "content": "Hello"}]}`, 503},
			{"POST", "/v1/chat/completions", `{"messages": [{"role": "user", "content": "Make a picture of a fox."}]}`, 503},
			{"POST", "/v1/chat/completions", `{"messages": [{"role": "user", "content": "Hello"}], "svc_tools": "none"}`, 200},
			{"POST", "/v1/replay/records", `{"run_id": "a"}`, rows},
			{"POST", workflows + "/templates", `{"name": "Hen", "stages": [{"id": "fox", "tool": "generate_image", "args": {"prompt": "a fox"}}]}`, rows},
			{"POST", "/v1/loras/personal", `{"url": "https://huggingface.co/a/b", "name": "n", "modelId": "m", "rightsConfirmed": true}`, 503},
			{"GET", "/v2/image/uploadUrl?imageId=1&type=startingImage&jobId=2", "", 503},
			{"POST", "/v1/assets/prepare", `{}`, 503},
			{"GET", workflows + "/" + done, "", 200},
			{"GET", runs + "/" + paused.RunID, "", 200},
			{"POST", runs + "/" + paused.RunID + "/cancel", `{}`, 200},
			{"DELETE", "/v1/chat/conversations/foxes", "", 200},
			{"DELETE", "/v1/artifacts/" + artifact, "", 200},
			{"DELETE", workflows + "/templates/" + template, "", 200},
		} {
			h.do(tt.method, tt.path, tt.body, tt.want, nil)
		}
		worker := after.Worker(t, wil)
		j := worker.Claim(t)
		worker.Complete(t, j, len(j.Artifacts), nil)
		if status, body := after.Get(t, workflows+"/"+running, ann.Key); status != http.StatusOK || !strings.Contains(body, `"status":"completed"`) {
			t.Errorf("the workflow that was under way: %d %s", status, body)
		}
	})
}

// keptDir is the data directory of a service that is started twice on a database.
func keptDir(c *config.Config, o store.Options, dir string) string {
	if o.URL == "" {
		return c.DataDir // that of the database
	}
	return dir
}
