package test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// firefox is a Firefox with one tab, driven by WebDriver BiDi: https://www.w3.org/TR/webdriver-bidi/.
type firefox struct {
	t      testing.TB
	base   string
	socket *websocket.Conn
	tab    string // its browsing context
	last   int    // the id of the last command
	errors []string
}

// message is an answer to a command, or an event.
type message struct {
	ID      int
	Type    string
	Method  string
	Params  struct{ Level, Text string }
	Result  json.RawMessage
	Error   string
	Message string
}

var listening = regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`)

// openFirefox starts a Firefox, which ends with the test.
func openFirefox(t testing.TB, base string) *firefox {
	t.Helper()
	path, err := exec.LookPath("firefox-esr")
	if err != nil {
		t.Skipf("no browser: %v", err)
	}
	home := t.TempDir()
	process := exec.Command(path, "--headless", "--no-remote", "--remote-debugging-port", "0", "--width", "1280", "--height", "860", "--profile", home)
	process.Env = append(os.Environ(), "HOME="+home, "MOZ_DISABLE_AUTO_SAFE_MODE=1")
	out, err := process.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	address := make(chan string, 1)
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				address <- m[1]
			}
		}
	}()
	t.Cleanup(func() {
		_ = process.Process.Kill()
		<-ended
		_ = process.Wait()
	})
	f := &firefox{t: t, base: base}
	select {
	case at := <-address:
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if f.socket, _, err = websocket.Dial(ctx, at+"/session", nil); err != nil {
			t.Fatal(err)
		}
		f.socket.SetReadLimit(64 << 20)
	case <-ended:
		t.Fatal("Firefox ended before it listened")
	case <-time.After(patience):
		t.Fatalf("Firefox does not listen after %s", patience)
	}
	type object = map[string]any
	f.call("session.new", object{"capabilities": object{}}, nil)
	f.call("session.subscribe", object{"events": []string{"log.entryAdded"}}, nil)
	var tabs struct{ Contexts []struct{ Context string } }
	f.call("browsingContext.getTree", object{}, &tabs)
	f.tab = tabs.Contexts[0].Context
	t.Cleanup(func() {
		if t.Failed() {
			f.saveScreenshot("failed")
		}
		for _, text := range f.errors {
			t.Errorf("an error of a page: %s", text)
		}
		_ = f.socket.CloseNow()
	})
	return f
}

// call sends a command and waits for its answer. Errors of pages that arrive meanwhile are kept.
func (f *firefox) call(method string, params, result any) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	f.last++
	if err := wsjson.Write(ctx, f.socket, map[string]any{"id": f.last, "method": method, "params": params}); err != nil {
		f.t.Fatalf("%s: %v", method, err)
	}
	for {
		var m message
		if err := wsjson.Read(ctx, f.socket, &m); err != nil {
			f.t.Fatalf("%s: %v", method, err)
		}
		if m.Method == "log.entryAdded" && m.Params.Level == "error" {
			f.errors = append(f.errors, m.Params.Text)
		}
		if m.ID != f.last {
			continue
		}
		if m.Type == "error" {
			f.t.Fatalf("%s: %s: %s", method, m.Error, m.Message)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				f.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

// open loads an address, as one that a person types, also when only its fragment differs.
func (f *firefox) open(path string) {
	f.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = f.base + path
	}
	f.call("browsingContext.navigate", map[string]any{"context": f.tab, "url": path, "wait": "complete"}, nil)
}

// evaluate runs an expression, whose value becomes JSON.
func (f *firefox) evaluate(expression string, value any) error {
	f.t.Helper()
	var answer struct {
		Type             string
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	f.call("script.evaluate", map[string]any{
		"expression": "(async () => JSON.stringify(await (" + expression + ") ?? null))()", "target": map[string]any{"context": f.tab}, "awaitPromise": true,
	}, &answer)
	if answer.Type != "success" {
		return fmt.Errorf("%.200s: %s", expression, answer.ExceptionDetails.Text)
	}
	return json.Unmarshal([]byte(answer.Result.Value), value)
}

// wait looks at each frame of the page until an expression is true. One that fails is not true yet. A page that is left
// meanwhile does not answer: then the next one is looked at.
func (f *firefox) wait(what, expression string) {
	f.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		var is bool
		err := f.evaluate(`new Promise((done) => {
			const end = performance.now() + 1000;
			const look = () => {
				let is = false;
				try { is = Boolean(`+expression+`) } catch {}
				if (is || performance.now() > end) done(is); else requestAnimationFrame(look);
			};
			look();
		})`, &is)
		if err == nil && is {
			return
		}
		if time.Now().After(deadline) {
			var shown string
			_ = f.evaluate("document.body.innerText", &shown)
			f.t.Fatalf("waiting for %s: %v\nthe page shows: %.2000s", what, err, shown)
		}
	}
}

func (f *firefox) see(role, name string) {
	f.t.Helper()
	f.wait(role+" "+name, find(role, name)+" !== null")
}

func (f *firefox) seeText(text string) {
	f.t.Helper()
	f.wait(text, "document.body.innerText.includes("+quote(text)+")")
}

// click presses an element that is enabled. A person would aim; that is tested in Chromium.
func (f *firefox) click(role, name string) {
	f.t.Helper()
	f.wait(role+" "+name, "((e) => e !== null && !e.disabled && (e.click(), true))("+find(role, name)+")")
}

// fill types into a field that has a label.
func (f *firefox) fill(label, text string) {
	f.t.Helper()
	f.wait("the focus on "+label, "((e) => (e.focus(), e.select?.(), document.activeElement === e))("+find("textbox", label)+")")
	var keys []map[string]any
	for _, r := range text {
		keys = append(keys, map[string]any{"type": "keyDown", "value": string(r)}, map[string]any{"type": "keyUp", "value": string(r)})
	}
	f.call("input.performActions", map[string]any{"context": f.tab, "actions": []any{map[string]any{"type": "key", "id": "keyboard", "actions": keys}}}, nil)
}

// saveScreenshot keeps a picture of the page for people, where ATELIER_TEST_SCREENSHOTS names a folder.
func (f *firefox) saveScreenshot(name string) {
	dir := os.Getenv("ATELIER_TEST_SCREENSHOTS")
	if dir == "" {
		return
	}
	var picture struct{ Data []byte }
	f.call("browsingContext.captureScreenshot", map[string]any{"context": f.tab, "origin": "document"}, &picture)
	if err := os.WriteFile(filepath.Join(dir, f.t.Name()+"-"+strings.ReplaceAll(name, " ", "-")+".png"), picture.Data, 0o600); err != nil {
		f.t.Log(err)
	}
}

// One pass through every page of the console in Firefox, as a person takes it who makes a picture
// and talks: no page has an error.
func TestFirefox(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows/templates", poster("Small poster"))
	f := openFirefox(t, s.URL)
	f.open(s.link)
	f.see("button", "Sign out")
	f.wait("the text face", `document.fonts.ready.then(() => document.fonts.check("16px Inter") && [...document.fonts].some((face) => face.family.includes("Inter") && face.status === "loaded"))`)
	f.fill("Prompt", "a red fox")
	f.seeText("Covered by your plan")
	f.click("button", "Make")
	f.see("button", "Open large: a red fox")
	f.wait("the picture", `[...document.querySelectorAll("img")].some((e) => e.naturalWidth > 100)`)
	f.saveScreenshot("create")

	f.click("link", "Chat")
	f.see("textbox", "Write a message")
	f.wait("a watch", `new Promise((resolve) => {
		window.seenLengths = new Set();
		new MutationObserver(() => seenLengths.add(document.querySelector("main").innerText.length)).observe(document.body, { subtree: true, childList: true, characterData: true });
		resolve(true);
	})`)
	f.fill("Write a message", "What can you make?")
	f.click("button", "Send")
	f.seeText("The assistant has answered.")
	f.wait("an answer that grew", "seenLengths.size > 2")
	f.saveScreenshot("chat")

	f.click("link", "Workflows")
	f.click("link", "a red fox")
	f.see("heading", "a red fox")
	f.seeText("Workflow completed")
	f.saveScreenshot("workflow")
	f.click("link", "Templates")
	f.click("link", "Small poster")
	f.see("heading", "Small poster")
	f.open("/templates/new")
	f.see("button", "Add a stage")
	for _, name := range []string{"Library", "Models", "Network", "Usage", "Account", "Operator"} {
		f.click("link", name)
		f.see("heading", name)
		f.saveScreenshot(strings.ToLower(name))
	}
	for _, area := range []string{"accounts", "connections", "workers", "jobs", "failures", "spot-checks", "unresolved", "claims", "loras", "filter", "actions"} {
		f.open("/operator/" + area)
		f.see("heading", "Operator")
		f.wait("its list", `!document.querySelector("main .waiting") && document.querySelector("main .stack")?.innerText.trim().length > 0`)
	}
	f.open("/models/z_image_turbo_bf16")
	f.see("heading", "What it needs to run")
	f.open("/docs")
	f.see("heading", "API reference")
	f.wait("no overflow", "document.documentElement.scrollWidth <= innerWidth")
}
