package test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Webhooks: add one, see what was sent to it, send it again, change it, get a new secret, delete it. One that
// wants no more is disabled, and says why.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	var status atomic.Int64
	status.Store(http.StatusOK)
	came := make(chan struct{}, 16)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
		came <- struct{}{}
	}))
	t.Cleanup(receiver.Close)
	s := startService(t, "ATELIER_ALLOW_PRIVATE_MEDIA=true")
	p := openPage(t, s.URL, desktop)
	p.allow("400")
	p.signIn(s.Key)
	p.open("/webhooks")
	p.seeText("No webhooks yet")
	p.click("button", "Add a webhook")
	p.fill("Address", "ftp://example.com/")
	p.checkAccess("adding a webhook")
	p.click("button", "Add a webhook")
	p.see("alert", "")
	p.fill("Address", receiver.URL+"/a-rather-long-path-of-a-receiver/with-several-parts/so-that-it-has-to-break-somewhere")
	p.click("checkbox", "All events, also later ones")
	p.click("button", "Add a webhook")
	p.see("dialog", "The secret of the webhook")
	p.checkAccess("a secret")
	p.click("button", "I have saved it")
	p.seeText("all events")
	p.checkAccess("a webhook")

	const workflows = "/v1/creative-agent/workflows"
	made := s.call("POST", workflows, map[string]any{"input": map[string]any{"steps": []any{
		map[string]any{"id": "fox", "toolName": "generate_image", "arguments": map[string]any{"prompt": "a fox"}},
	}}})
	s.call("POST", workflows+"/"+made["workflow"].(map[string]any)["workflowId"].(string)+"/cancel", nil)
	<-came
	p.click("link", "Deliveries")
	p.seeText("workflow.cancelled")
	p.checkAccess("deliveries")
	p.click("button", "Details")
	p.seeText("Body")
	p.checkAccess("a delivery")
	p.click("button", "Close")
	status.Store(http.StatusGone)
	p.click("button", "Send again")
	<-came
	p.open("/webhooks")
	p.seeText("410")
	p.checkAccess("a disabled webhook")
	for state, l := range map[string]look{"webhooks on a phone": phone, "webhooks in the dark": night} {
		small := openPage(t, s.URL, l)
		small.signIn(s.Key)
		small.open("/webhooks")
		small.seeText("410")
		small.checkAccess(state)
		small.click("link", "Deliveries")
		small.seeText("workflow.cancelled")
		small.checkAccess(state + ", deliveries")
	}
	p.click("button", "Enable again")
	p.click("button", "New secret")
	p.click("button", "New secret") // in the dialog
	p.see("dialog", "The secret of the webhook")
	p.click("button", "I have saved it")
	p.click("button", "Delete")
	p.click("button", "Delete")
	p.seeText("No webhooks yet")
}
