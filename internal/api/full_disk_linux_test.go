package api_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
)

// When the disk is full to its last byte, an account can still delete and cancel, also after
// the service was started again, and what it deletes makes space.
func TestFullDiskCanBeHelped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96m"); err != nil {
		t.Skipf("cannot mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	o := store.Options{Path: filepath.Join(dir, "data", "atelier.db")}
	set := func(c *config.Config) { c.Limits.FreeSpaceBytes = 16 << 20 }
	s := ateliertest.Start(t, o, set)
	ann := s.Account(t, account.NewAccount{Username: "ann"}, billing.Credits{Spark: 100 * atelier.MoneyUnit})
	wil := s.Account(t, account.NewAccount{Username: "wil", Worker: true}, billing.Credits{})
	h := studio{client: client{t: t, s: s, key: ann.Key}, worker: s.Worker(t, wil)}
	artifacts := []string{h.artifact().ArtifactID, h.artifact().ArtifactID}
	templates := []string{h.template(), h.template()}
	running, _ := h.workflow("a hen")
	run := h.pausedRun()
	var key struct{ Key struct{ KeyID string } }
	h.do("POST", "/v1/account/keys", `{"name": "spare"}`, 201, &key)

	fill := func() {
		t.Helper()
		file, err := os.OpenFile(filepath.Join(dir, "filler"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		for _, chunk := range []int{64 << 10, 4 << 10, 1} {
			for err == nil {
				_, err = file.Write(make([]byte, chunk))
			}
			if !errors.Is(err, syscall.ENOSPC) {
				t.Fatal(err)
			}
			err = nil
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	fill()
	if a := h.raw("POST", workflows, `{"input": {"steps": [{"id": "fox", "toolName": "generate_image", "arguments": {"prompt": "a fox"}}]}}`); a.status != http.StatusServiceUnavailable {
		t.Errorf("a start on a full disk: %d %s", a.status, a.body)
	}
	h.do("DELETE", "/v1/artifacts/"+artifacts[0], "", 200, nil)
	h.do("DELETE", workflows+"/templates/"+templates[0], "", 200, nil)
	h.do("POST", runs+"/"+run.RunID+"/cancel", `{}`, 200, nil)
	h.do("DELETE", "/v1/chat/conversations/foxes", "", 200, nil)
	fill()
	s.Stop()
	fill()

	again := ateliertest.Start(t, o, set)
	h.s = again
	h.do("POST", "/v1/artifacts/delete", `{"artifactIds": ["`+artifacts[1]+`"]}`, 200, nil)
	h.do("DELETE", workflows+"/templates/"+templates[1], "", 200, nil)
	h.do("POST", workflows+"/"+running+"/cancel", `{}`, 200, nil)
	h.do("DELETE", "/v1/account/keys/"+key.Key.KeyID, "", 200, nil)
}
