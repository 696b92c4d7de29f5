package test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// setOffline takes the page off the network, or back.
func (p *page) setOffline(isOffline bool) {
	p.t.Helper()
	if isOffline {
		p.block("*://*:*/*")
		return
	}
	p.block()
	evaluate[bool](p, `dispatchEvent(new Event("online"))`)
}

// block refuses requests to some addresses. No pattern ends it.
func (p *page) block(patterns ...string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, network.Enable, network.EnableParams{}); err != nil {
		p.t.Fatal(err)
	}
	blocked := network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{}}
	for _, pattern := range patterns {
		blocked.URLPatterns = append(blocked.URLPatterns, &network.BlockPattern{URLPattern: pattern, Block: true})
	}
	if _, err := chromedp.Call(p.ctx, network.SetBlockedURLs, blocked); err != nil {
		p.t.Fatal(err)
	}
}

// waitReload waits until the page was loaded a number of times, which it counts in its storage. A page that
// is being left answers nothing.
func (p *page) waitReload(key string, times int) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for ctx.Err() == nil {
		got, err := chromedp.Run(ctx, chromedp.Evaluate[int](fmt.Sprintf(`new Promise(requestAnimationFrame).then(() => document.readyState === "complete" ? Number(sessionStorage.getItem(%s)) : 0)`, quote(key)), chromedp.EvalAwaitPromise))
		if err == nil && got == times {
			return
		}
	}
	p.t.Fatalf("the page was not loaded %d times", times)
}

// A page whose module cannot be loaded shows a message, and is loaded when the service is there
// again: by itself, by the button, or when it is opened again.
func TestPageLoad(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.allow("net::ERR", "Failed to load resource")
	p.signIn(s.Key)
	p.see("textbox", "Prompt")

	p.setOffline(true)
	p.click("link", "Network")
	p.see("heading", "This page could not be loaded")
	p.see("button", "Try again")
	p.checkAccess("not loaded")
	p.setOffline(false)
	p.see("heading", "Network")
	p.click("link", "Library")
	p.see("heading", "Library")
	p.click("link", "Network")
	p.see("heading", "Network")

	// It is left before the service is back.
	p.setOffline(true)
	p.click("link", "Models")
	p.see("heading", "This page could not be loaded")
	p.click("link", "Library")
	p.see("heading", "Library")
	p.setOffline(false)
	p.click("link", "Models")
	p.see("heading", "Models")

	s.stop()
	p.click("link", "Templates")
	p.see("heading", "This page could not be loaded")
	s.start(s.URL[len("http://"):])
	p.see("heading", "Templates")
}

// A page that fails while it is drawn shows a message. It can be left, and tried again.
func TestPageFails(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.allow("TypeError")
	p.prepare(`{
		const load = fetch;
		window.fetch = async (address, options) => {
			if (!window.broken || !String(address).includes("/v1/account/keys")) return load(address, options);
			return new Response('{"status":"success","data":{"keys":[null]}}', { headers: { "Content-Type": "application/json" } });
		};
	}`)
	p.signIn(s.Key)
	p.see("textbox", "Prompt")
	evaluate[bool](p, `window.broken = true`)
	p.click("link", "Account")
	p.see("heading", "This page cannot be shown")
	p.checkAccess("page that fails")
	p.click("button", "Try again")
	p.see("heading", "This page cannot be shown")
	p.click("link", "Library")
	p.see("heading", "Library")
	evaluate[bool](p, `window.broken = false; true`)
	p.click("link", "Account")
	p.see("button", "Create a key")
}

// After an upgrade the modules have other names: the console is loaded again, once.
func TestPageLoadUpgrade(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.allow("net::ERR", "Failed to load resource")
	p.prepare(`sessionStorage.setItem("loads", Number(sessionStorage.getItem("loads")) + 1)`)
	p.signIn(s.Key)
	p.see("textbox", "Prompt")
	loads := func() int { return evaluate[int](p, `Number(sessionStorage.getItem("loads"))`) }
	before := loads()
	p.block("*://*:*/console/network-*.js*")
	p.click("link", "Network")
	p.waitReload("loads", before+1)
	p.see("heading", "This page could not be loaded")
	p.click("link", "Library")
	p.see("heading", "Library")
	p.click("link", "Network")
	p.see("heading", "This page could not be loaded")
	if got := loads(); got != before+1 {
		t.Errorf("the console was loaded %d times, want once", got-before)
	}
	p.block()
	p.click("button", "Try again")
	p.see("heading", "Network")
	if got := loads(); got != before+1 {
		t.Errorf("the console was loaded %d times, want once", got-before)
	}
}

// That the service cannot be reached is said once, away from what people write in, until it can.
func TestConnectionToast(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.allow("net::ERR", "Failed to load resource")
		p.signIn(s.Key)
		p.open("/chat")
		p.wait("the composer", `document.querySelector(".composer textarea") !== null`)
		p.setOffline(true)
		for range 2 {
			p.click("button", "Sign out")
			p.seeText("The service cannot be reached.")
			p.wait("the button", "!"+find("button", "Sign out")+".disabled")
		}
		if got := evaluate[string](p, `[...document.querySelectorAll(".toast")].map((e) => e.innerText.trim()).join("|")`); got != "The service cannot be reached. Check that it is running and that you are online." {
			t.Errorf("the messages are %q", got)
		}
		p.saveScreenshot("toast")
		if !evaluate[bool](p, `(() => {
			const toast = document.querySelector(".toast").getBoundingClientRect();
			return [...document.querySelectorAll("textarea, .composer")].every((e) => { const r = e.getBoundingClientRect(); return r.top > toast.bottom || r.bottom < toast.top; });
		})()`) {
			t.Error("the message covers the composer")
		}
		p.setOffline(false)
		p.wait("no message", `document.querySelector(".toast") === null`)
	}
}

// The network lists every model that is served, says what the numbers of a worker are, and counts
// workers as the operator's pages do.
func TestNetworkModels(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", picture("a fox"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/network")
	p.see("heading", "Models and tools")
	p.see("link", "How to connect a worker")
	p.wait("one card for the renderers that the service brings along", `document.querySelectorAll(".worker").length === 1 && /Built-in renderer\s[^]*CPU · 4 workers · \d+ models/.test(document.querySelector(".worker").innerText)`)
	p.seeText("Workers 4 built in")
	p.wait("one line for what they do", `/Idle, renders up to \d+ at once$/.test(document.querySelector(".worker").innerText.trim())`)
	p.wait("no rows of zeros", `document.querySelector("tbody td")?.innerText !== "fast"`)
	p.click("button", "Only drawn by the preview renderer")
	p.see("button", "Z-Image Turbo")
	p.seeText("The service's own workers")
	p.see("heading", "Jobs of the network by day")
	for label, want := range map[string]string{"Jobs completed": "--good", "Attempts failed": "--bad"} {
		got := evaluate[string](p, fmt.Sprintf(`[...document.querySelectorAll(".legend li")].find((e) => e.innerText.includes(%s)).querySelector(".swatch").style.background`, quote(label)))
		if got != "var("+want+")" {
			t.Errorf("%s are drawn in %s, want %s", label, got, want)
		}
	}
	p.checkAccess("models of the network")

	small := openPage(t, s.URL, phone)
	small.open("/docs")
	small.wait("what a credential is for below its header", `[...document.querySelectorAll(".ref-credentials dt")].every((e) => e.nextElementSibling.getBoundingClientRect().top >= e.getBoundingClientRect().bottom && e.nextElementSibling.getBoundingClientRect().left === e.getBoundingClientRect().left)`)
	small.wait("the credentials", `document.querySelectorAll(".ref-credentials dt").length > 1`)
	small.saveScreenshot("credentials")

	p.open("/operator")
	p.seeText("All systems work")
	shown := evaluate[int](p, `Number([...document.querySelectorAll(".panel tr")].find((e) => e.cells[0].innerText === "Node" && e.cells.length === 4).cells[3].innerText)`)
	p.open("/operator/workers")
	p.wait("the workers", `document.querySelectorAll("tbody tr").length > 0`)
	if listed := evaluate[int](p, `[...document.querySelectorAll("tbody tr")].filter((e) => e.children[1].innerText === "Node").length`); shown != listed || listed == 0 {
		t.Errorf("the health page counts %d workers of nodes, %d are listed", shown, listed)
	}
	s.run("account", "create", "--username", "ann")
	p.open("/operator/accounts")
	p.click("link", "ann")
	p.see("heading", "ann")
	p.seeText("No plan")
}

// A worker that draws without models is listed beside those of the service, which are counted apart, for its owner and
// for others. The history has the days that were chosen, and says what it counts.
func TestNetworkCounts(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/worker/sessions", map[string]any{"name": "attic", "network": "fast", "models": []any{"z_image_turbo_bf16"}, "capacity": 1, "fallback": true, "gpu": "none"})
	for key, name := range map[string]string{s.Key: "attic", createAccount(s): "worker 1"} {
		p := openPage(t, s.URL, phone)
		p.signIn(key)
		p.open("/network")
		p.seeText("Workers 1 connected, without models, 4 built in")
		p.wait("the card of "+name, fmt.Sprintf(`[...document.querySelectorAll(".worker")].some((e) => e.querySelector("strong").innerText === %s && /CPU/.test(e.innerText) && e.innerText.includes("without the models, while"))`, quote(name)))
		p.seeText("the built-in renderers and those of vendors included")
		p.wait("the days", `document.querySelector(".history table").rows.length === 31`)
		p.checkAccess("the network with " + name)
	}
}

// What waits says in words for what and until when, and costs are in Spark everywhere.
func TestWaitingInWords(t *testing.T) {
	t.Parallel()
	s := startService(t, "ATELIER_WORKERS_EMBEDDED=false")
	made := s.call("POST", "/v1/creative-agent/workflows", map[string]any{"input": map[string]any{"title": "a \u202efox\u202c in snow", "steps": []any{
		map[string]any{"id": "draw", "toolName": "generate_image", "arguments": map[string]any{"prompt": "a fox", "model": "z-turbo"}},
		map[string]any{"id": "edit", "toolName": "edit_image", "arguments": map[string]any{"prompt": "snow"}, "dependsOn": []any{
			map[string]any{"sourceStepId": "draw", "targetArgument": "sourceImageIndex", "transform": "image_index"}}},
	}}})
	id := made["workflow"].(map[string]any)["workflowId"].(string)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/workflows")
	p.seeText("a fox in snow")
	p.wait("neutral colours of what waits", `document.querySelector(".workflow-state .chip")?.className === "chip"`)
	p.open("/workflows/" + id + "?step=draw")
	p.see("heading", "a fox in snow")
	p.wait("the title of the window", `document.title.includes("a fox in snow")`)
	p.seeText("No connected worker offers Z-Image Turbo on the fast network.")
	p.seeText("The job fails in ")
	p.seeText("estimated 1.6 Spark")
	p.wait("no other unit", `!/\d units?|× image|T\d\d:\d\d:\d\dZ/.test(document.querySelector("main .workflow-head").innerText + document.querySelector(".step-panel").innerText)`)
	p.wait("the model and why", `/Why this model\s+You chose Z-Image Turbo/.test(document.querySelector(".step-panel").innerText)`)
	p.checkAccess("a waiting workflow")
	p.open("/workflows/" + id + "?step=edit")
	p.seeText("draw (source image)")
	p.open("/models")
	p.seeText("1.6 Spark")
	p.wait("prices in Spark", `!document.querySelector(".model-grid").innerText.includes("$")`)
	p.checkAccess("prices")
	p.open("/operator")
	p.wait("how long it waits", `/Z-Image Turbo, for \d+ seconds?|z_image_turbo_bf16, for \d+ seconds?/.test(document.body.innerText)`)

	narrow := openPage(t, s.URL, phone)
	narrow.signIn(s.Key)
	narrow.open("/workflows")
	narrow.seeText("a fox in snow")
	narrow.gone("combobox", "Kind of result")
	narrow.checkAccess("filters closed")
	narrow.click("button", "Filters")
	narrow.see("combobox", "Kind of result")
	narrow.checkAccess("filters open")
}

// The builder names tools as it shows them, says each place once, and neither a mistake in the text nor
// a wide drawing moves what a person looks at.
func TestBuilderAids(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	stages := []any{}
	for i := range 9 {
		args := map[string]any{"prompt": "a fox"}
		tool := "generate_image"
		if i > 0 {
			tool, args = "edit_image", map[string]any{"prompt": "snow", "sourceImageIndex": fmt.Sprintf("$artifacts.a%d.items[0].url", i-1)}
		}
		stages = append(stages, map[string]any{"id": fmt.Sprint("s", i), "tool": tool, "args": args, "produces": []any{fmt.Sprint("a", i)}})
	}
	text, err := json.Marshal(map[string]any{"name": "Long", "inputs": []any{}, "stages": stages})
	if err != nil {
		t.Fatal(err)
	}
	p.open("/templates/new")
	p.click("button", "Add a stage")
	p.seeText("To change an image by instruction use Edit image.")
	p.press(kb.Escape)
	p.click("button", "JSON")
	p.fill("The template as JSON", string(text))
	p.wait("the drawing", nodeOf("s8")+" !== null")
	p.click("button", "Fit")
	p.wait("the whole drawing", `(() => { const e = document.querySelector(".builder-canvas"); return e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight })()`)
	p.checkAccess("a drawing that fits")
	top := evaluate[float64](p, `document.querySelector(".builder-canvas").getBoundingClientRect().top`)
	p.fill("The template as JSON", string(text[:len(text)-1]))
	p.seeText("The JSON is not valid at line")
	p.saveScreenshot("invalid")
	if got := evaluate[float64](p, `document.querySelector(".builder-canvas").getBoundingClientRect().top`); got != top {
		t.Errorf("the drawing moved from %.0f to %.0f", top, got)
	}
	p.fill("The template as JSON", strings.Replace(string(text), `"edit_image"`, `"paint"`, 1))
	p.see("button", "Error: s1: Tool is ")
	p.seeText("Checked by the service")
	p.wait("each place once", `[...document.querySelectorAll(".issue")].every((e) => e.innerText.split("Tool is").length <= 2)`)
}

// Usage speaks of models, tokens and days as people do.
func TestUsageInWords(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", picture("a fox"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/usage")
	p.see("heading", "Cost by model")
	p.see("button", "Z-Image Turbo")
	p.seeText("Only on ")
	p.wait("the ledger", `[...document.querySelectorAll(".ledger td")].some((e) => e.innerText === "Added")`)
	p.wait("no codes", `!/\bSvc\b|\bGrant\b|\bcredit\b|z_image_turbo|Today's window|of it Premium/.test(document.querySelector("main").innerText)`)
	p.checkAccess("usage in words")
	p.open("/workflows?q=nothing-has-this-title")
	p.see("button", "Clear filters")
}

// What is set aside for work under way is named beside the balance that lacks it, and leads to that work.
func TestHeldBalance(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, phone)
	p.prepare(`((send) => {
		window.fetch = async (address, options) => {
			const response = await send(address, options);
			if (!String(address).endsWith("/v4/account/balance")) return response;
			const body = await response.json();
			Object.assign(body.data.spark, {held: "10.800000", net: "19989.200000"});
			return new Response(JSON.stringify(body), {status: 200, headers: {"Content-Type": "application/json"}});
		};
	})(fetch)`)
	p.signIn(s.Key)
	p.open("/usage")
	p.see("link", "10.8 held")
	p.checkAccess("a balance of which a part is held")
	p.click("link", "10.8 held")
	p.wait("the work under way", `location.pathname + location.search === "/workflows?status=active"`)
}

// A sign-in link that was used before says it where it leads.
func TestUsedLink(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, phone)
	p.allow("401")
	p.allow("400")
	p.allow("404")
	p.open("/#code=used-before")
	p.seeText("This link was used or has expired")
	p.checkAccess("a used link")
	p.signIn(s.Key)
	p.see("button", "Sign out")
}
