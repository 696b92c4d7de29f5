package test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// newModelServer is a server of two language models that wants a key.
func newModelServer(t *testing.T, key string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+key:
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v1/models":
			fmt.Fprint(w, `{"data": [{"id": "qwen3", "max_model_len": 40960}, {"id": "a-model-with-a-name-that-is-longer-than-a-phone-is-wide:70b-instruct-q4_K_M"}]}`)
		case r.URL.Path == "/v1/chat/completions":
			fmt.Fprint(w, `{"choices": [{"message": {"role": "assistant", "content": "I am the connected one."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// An operator connects a server, which then answers in the chat, changes and removes it, all
// without a restart.
func TestConnections(t *testing.T) {
	t.Parallel()
	s := startService(t)
	server := newModelServer(t, "sk-very-secret")
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/operator/connections")
	p.seeText("Nothing is connected yet")
	p.seeText("LoRA sites")
	p.checkAccess("no connection")
	p.click("button", "Find on this machine")
	p.seeText("Found on this machine")

	p.click("button", "Connect a server")
	p.fill("Address", "ftp://nowhere")
	p.allow("400 (Bad Request)")
	p.click("button", "Connect")
	p.seeText("Must be an http or https URL")
	p.checkAccess("a connection with a wrong address")
	p.fill("Address", strings.TrimPrefix(server, "http://")) // without its scheme, as people type it
	p.wait("no remark on the old address", `!document.body.innerText.includes("Must be an http")`)
	p.fill("Name", "gpu")
	p.click("button", "Test")
	p.seeText("The server wants an API key")
	p.fill("API key", "sk-very-secret")
	p.click("button", "Test")
	p.seeText("The server lists 2 models.")
	p.seeText("40,960 tokens")
	p.seeText("All: 2 models")
	p.wait("both ticked", `document.querySelectorAll(".connection-models input:checked").length === 2`)
	p.click("checkbox", "a-model-with-a-name-that-is-longer-than-a-phone-is-wide:70b-instruct-q4_K_M")
	p.seeText("1 model is offered.")
	p.wait("the buttons in sight", `(([button]) => button.getBoundingClientRect().bottom <= innerHeight)([...document.querySelectorAll("dialog[open] footer button")].slice(-1))`)
	p.checkAccess("a connection that was tested")
	p.click("button", "Connect")
	p.gone("dialog", "Connect a server")
	p.see("heading", "gpu")
	p.seeText("healthy")
	p.seeText("with a key")
	p.checkAccess("a connection")

	// It answers at once, and is the default.
	p.open("/chat")
	p.say("Who are you?")
	p.seeText("I am the connected one.")

	p.open("/operator/connections")
	p.click("button", "Change")
	p.seeText("A key is stored.")
	p.fill("Name", "workstation")
	p.click("button", "Save")
	p.gone("dialog", "Change gpu")
	p.see("heading", "workstation")
	p.seeText("with a key")
	p.click("button", "Change")
	p.click("checkbox", "Remove the stored key")
	p.click("button", "Save")
	p.gone("dialog", "Change workstation")
	p.seeText("The server wants an API key")
	p.checkAccess("a connection that fails")
	p.click("button", "Remove")
	p.checkAccess("removing a connection")
	p.click("button", "Remove")
	p.gone("heading", "workstation")
	p.seeText("workstation is removed.")
	p.wait("the focus on the page, where the connection was", `document.activeElement.innerText.startsWith("The servers that atelier uses.")`)
	p.open("/chat")
	p.say("Who are you?")
	p.wait("an answer of another model", `document.body.innerText.includes("Who are you?") && !document.body.innerText.includes("I am the connected one.")`)
}

// A server that is off is refused in words, in sight, and is saved when a model of it is named. The
// dashboard counts what is connected, as the page does.
func TestConnectionThatIsOff(t *testing.T) {
	t.Parallel()
	s := startService(t)
	off := httptest.NewServer(http.NotFoundHandler())
	off.Close()
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	counted := func(want string) {
		t.Helper()
		p.open("/operator")
		p.wait("what is connected: "+want, fmt.Sprintf(`[...document.querySelectorAll('dl a[href="/operator/connections"]')].some((a) => a.innerText === %q)`, want))
	}
	counted("0")
	p.open("/operator/connections")
	p.seeText("Nothing is connected yet")
	p.click("button", "Connect a server")
	p.fill("Address", off.URL)
	p.allow("400 (Bad Request)")
	p.click("button", "Connect")
	p.seeText("No server answers at " + off.URL)
	p.seeText("Is it running? To connect it as it is, name a model that it has.")
	p.wait("the refusal in sight, at the field that has the focus", `((refusal) => refusal && refusal.getBoundingClientRect().bottom <= document.querySelector("dialog[open] footer").getBoundingClientRect().top)(
		document.getElementById(document.activeElement.getAttribute("aria-describedby")))`)
	p.saveScreenshot("refusal")
	p.checkAccess("a connection of a server that is off")
	p.fill("Another model", "qwen3")
	p.wait("no remark on what is corrected", `!document.body.innerText.includes("Is it running?")`)
	p.click("button", "Connect")
	p.gone("dialog", "Connect a server")
	p.seeText("is saved, but does not answer as it should")
	p.seeText("qwen3")
	counted("0 of 1 answer")
	p.saveScreenshot("dashboard")
}

// The page fits a phone, in the dark too.
func TestConnectionsOnAPhone(t *testing.T) {
	t.Parallel()
	s := startService(t)
	server := newModelServer(t, "k")
	p := openPage(t, s.URL, look{width: phone.width, height: phone.height, dark: true})
	p.signIn(s.Key)
	p.open("/operator/connections")
	p.click("button", "Connect a server")
	p.fill("Address", server)
	p.fill("API key", "k")
	p.click("button", "Test")
	p.seeText("The server lists 2 models.")
	p.checkAccess("a connection on a phone, tested")
	p.click("button", "Connect")
	p.gone("dialog", "Connect a server")
	p.seeText("healthy")
	p.checkAccess("connections on a phone")
}
