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
	p.click("link", "Webhooks in the reference")
	p.wait("the chapter on webhooks", `location.hash === "#group-webhooks" && document.querySelector("#group-webhooks") !== null`)
	p.open("/webhooks")
	p.seeText("No webhooks yet")
	p.click("button", "Add a webhook")
	p.seeText("also of a private network")
	p.fill("Address", "ftp://example.com/")
	p.checkAccess("adding a webhook")
	p.click("button", "Add a webhook")
	p.seeText("This address ")
	p.fill("Address", receiver.URL+"/a-rather-long-path-of-a-receiver/with-several-parts/so-that-it-has-to-break-somewhere")
	p.click("checkbox", "All events, also later ones")
	p.click("button", "Add a webhook")
	p.see("dialog", "The secret of the webhook")
	p.checkAccess("a secret")
	p.click("button", "I have saved it")
	p.seeText("all events")
	p.checkAccess("a webhook")
	p.click("button", "Send a test")
	<-came
	p.wait("the deliveries, with the test", `[...document.querySelectorAll("tbody tr")].some((row) => /^test\s/.test(row.innerText) && row.innerText.includes("Delivered"))`)
	p.open("/webhooks")

	const workflows = "/v1/creative-agent/workflows"
	made := s.call("POST", workflows, map[string]any{"input": map[string]any{"steps": []any{
		map[string]any{"id": "fox", "toolName": "generate_image", "arguments": map[string]any{"prompt": "a fox"}},
	}}})
	s.call("POST", workflows+"/"+made["workflow"].(map[string]any)["workflowId"].(string)+"/cancel", nil)
	<-came
	p.click("link", "Deliveries")
	p.seeText("workflow.cancelled")
	p.wait("no word of a next try", `!document.querySelector("tbody").innerText.includes("next try")`)
	p.checkAccess("deliveries")
	p.click("button", "Details")
	p.seeText("Body")
	p.wait("its attempt", `/When[^]+Answer\s+200\s+Took/.test(document.querySelector("dialog [aria-label=Attempt]").innerText) && !/What went wrong|Next attempt/.test(document.querySelector("dialog").innerText)`)
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

// A webhook that fails looks so: since when, and when the next try is. A delivery that waits for it is sent now when
// its owner asks for that. On the page of its deliveries no button leads to the same page.
func TestFailingWebhook(t *testing.T) {
	t.Parallel()
	var status atomic.Int64
	status.Store(http.StatusServiceUnavailable)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) }))
	t.Cleanup(receiver.Close)
	s := startService(t, "ATELIER_ALLOW_PRIVATE_MEDIA=true", "ATELIER_WORKERS_EMBEDDED=false")
	s.call("POST", "/v1/webhooks", map[string]any{"url": receiver.URL, "events": []string{"*"}})
	p := openPage(t, s.URL, desktop)
	p.allow("409") // it may be on its way already when it is to be sent now
	p.signIn(s.Key)
	p.open("/webhooks")
	p.click("link", "Deliveries")
	p.seeText("Nothing was sent yet")
	p.gone("link", "Deliveries")
	p.checkAccess("no deliveries")
	const workflows = "/v1/creative-agent/workflows"
	made := s.call("POST", workflows, picture("a fox"))
	s.call("POST", workflows+"/"+made["workflow"].(map[string]any)["workflowId"].(string)+"/cancel", nil)
	p.open("/webhooks")
	p.wait("that it fails", `document.querySelector(".webhook .chip.bad")?.innerText === "failing"`)
	p.seeText("No event has arrived for ")
	p.seeText("The next try is ")
	p.checkAccess("a failing webhook")
	p.click("link", "Deliveries")
	p.see("button", "Send now")
	p.seeText("next try ")
	p.checkAccess("a delivery that waits")
	p.click("button", "Details")
	p.wait("the last attempt", `/503[^]+What went wrong\s+The receiver answered with status 503.[^]+Next attempt/.test(document.querySelector("dialog [aria-label=Attempt]").innerText)`)
	p.checkAccess("an attempt that failed")
	p.click("button", "Close")
	small := openPage(t, s.URL, phone)
	small.signIn(s.Key)
	small.open("/webhooks")
	small.seeText("No event has arrived for ")
	small.checkAccess("a failing webhook on a phone")
	small.click("link", "Deliveries")
	small.see("button", "Send now")
	small.checkAccess("a delivery that waits, on a phone")
	status.Store(http.StatusOK)
	p.wait("that it has arrived", `(() => {
		const button = [...document.querySelectorAll("tbody button")].find((e) => e.innerText === "Send now");
		if (button && !window.pressed) { window.pressed = true; button.click() } // the service may have tried again meanwhile
		return document.querySelector("tbody .chip.good")?.innerText === "Delivered";
	})()`)
	p.open("/webhooks")
	p.wait("that it no longer fails", `document.querySelector(".webhook .chip.good")?.innerText === "enabled"`)
}
