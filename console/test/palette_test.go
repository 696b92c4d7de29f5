package test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Ctrl+K finds pages, commands, models and work by their names and descriptions; the question mark shows the shortcuts,
// but not while something is written. A button opens the palette, on a phone below the tabs.
func TestPalette(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", map[string]any{"input": map[string]any{"title": "A red fox, found", "steps": []any{
		map[string]any{"id": "a", "toolName": "generate_image", "arguments": map[string]any{"prompt": "a fox", "width": 256, "height": 256}},
	}}})
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.see("button", "Sign out")
		p.press("k", chromedp.ModifierCtrl)
		p.see("dialog", "Go to, or do")
		p.wait("the focus in the search", `document.activeElement.matches("dialog input[role=searchbox]")`)
		p.checkAccess(fmt.Sprint("the palette, ", l.width))
		p.press("wor")
		p.press(kb.Enter)
		p.see("heading", "Workflows")
		p.gone("dialog", "Go to, or do")
		p.press("k", chromedp.ModifierCtrl)
		p.fill("Search pages, models and work", "colours")
		p.press(kb.ArrowDown)
		p.press(kb.Enter) // the second: light
		p.wait("the theme", `document.documentElement.dataset.theme === "light"`)

		// It stays where it is while what it finds changes, and Escape closes it also when something is written.
		top := `document.querySelector("dialog[open]").getBoundingClientRect().top`
		p.press("k", chromedp.ModifierCtrl)
		p.see("dialog", "Go to, or do")
		before := evaluate[float64](p, top)
		for term, about := range map[string]string{"lora": "Library", "theme": "Theme of this browser", "create a key": "Account", "compose_lyrics": "Tool", "local": "Account", "content filter": "Operator", "review": "Operator", "failures": "Operator"} {
			p.fill("Search pages, models and work", term)
			p.wait(term, fmt.Sprintf(`document.querySelector(".picker-item .muted")?.innerText === %s`, quote(about)))
		}
		p.fill("Search pages, models and work", "nothing has this name")
		p.seeText("Nothing of that name")
		if after := evaluate[float64](p, top); after != before {
			t.Errorf("the palette is at %v while it is searched, was at %v", after, before)
		}
		p.press(kb.Escape)
		p.gone("dialog", "Go to, or do")

		evaluate[bool](p, `(document.activeElement.blur(), true)`)
		p.press("?")
		p.see("dialog", "Keyboard shortcuts")
		p.wait("the keys of the library", `[...document.querySelectorAll(".shortcuts-groups section")].some((e) => /^Library/.test(e.innerText) && /Space/.test(e.innerText) && /Enter/.test(e.innerText))`)
		if l.width > 1000 {
			p.wait("columns", `new Set([...document.querySelectorAll(".shortcuts-groups h3")].map((e) => Math.round(e.getBoundingClientRect().left))).size === 3`)
		}
		p.checkAccess(fmt.Sprint("the shortcuts, ", l.width))
		p.press(kb.Escape)
		p.gone("dialog", "Keyboard shortcuts")
		p.open("/chat")
		p.fill("Write a message", "")
		p.press("?")
		p.wait("a question mark in the message", `document.querySelector(".composer textarea").value === "?"`)
		if evaluate[bool](p, `document.querySelector("dialog[open]") !== null`) {
			t.Error("a question mark in a message opens the shortcuts")
		}
		p.open("/usage") // where no box takes keys
		if l == desktop {
			p.click("button", "Search pages, models and work")
		} else {
			p.wait("the pages below the tabs", `(() => { const e = document.querySelector("nav.side details"); if (e) e.open = true; return Boolean(e) })()`)
			p.click("button", "Search")
		}
		p.see("dialog", "Go to, or do")
		p.fill("Search pages, models and work", "image turbo")
		p.wait("a model", `document.querySelector(".picker-item")?.textContent.includes("Model")`)
		p.press(kb.Enter)
		p.wait("the model", `location.pathname === "/models/z_image_turbo_bf16"`)
		p.press("k", chromedp.ModifierCtrl)
		p.fill("Search pages, models and work", "red fox")
		p.wait("a workflow", `document.querySelector(".picker-item")?.textContent.includes("A red fox, found")`)
		p.checkAccess(fmt.Sprint("what the palette found, ", l.width))
		p.press(kb.Enter)
		p.wait("the workflow", `location.pathname.startsWith("/workflows/")`)
	}
}

// The palette finds words without the signs between them, apart and by other names, LoRAs and boards, and says of work
// that has the same name how it stands and how old it is.
func TestPaletteWords(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/library/boards", map[string]any{"name": "Harbour"})
	s.call("POST", "/v1/creative-agent/workflows", picture("a fox"))
	lora := s.call("GET", "/v1/loras/comfy", nil)["loras"].([]any)[0].(map[string]any)["name"].(string)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.press("k", chromedp.ModifierCtrl)
	for _, c := range []struct{ term, first string }{
		{"zimage", "Z-Image Turbo Model"}, {"new chat", "New conversation Chat"}, {"newchat", "New conversation Chat"}, {"signout", "Sign out Account"},
		{"turbo krea", "Krea 2 Turbo Model"}, {"harbour", "Harbour Board · 0 items"}, {lora, lora + " LoRA"},
	} {
		p.fill("Search pages, models and work", c.term)
		p.wait(c.term, fmt.Sprintf(`document.querySelector(".picker-item")?.innerText.replace(/\s+/g, " ").trim() === %s`, quote(c.first)))
	}
	p.checkAccess("a LoRA")
	p.press(kb.Enter)
	p.wait("Create with the LoRA", `location.pathname === "/" && document.querySelector(".lora") !== null`)
	p.press("k", chromedp.ModifierCtrl)
	p.fill("Search pages, models and work", "fox")
	p.wait("the standing of work", `/Workflow · \w+ · (now|\d+ \w+ ago)$/.test([...document.querySelectorAll(".picker-item")].find((e) => e.innerText.includes("Workflow")).innerText.trim())`)
}

// The palette finds what the pages' own searches find, such as a workflow by its prompt and a template by its tags, and
// offers those searches last.
func TestPaletteSearches(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.call("POST", "/v1/creative-agent/workflows", map[string]any{"input": map[string]any{"title": "Breakfast", "steps": []any{
		map[string]any{"id": "a", "toolName": "generate_image", "arguments": map[string]any{"prompt": "toast with marmalade", "width": 256, "height": 256}},
	}}})
	s.call("POST", "/v1/creative-agent/workflows/templates", map[string]any{
		"name": "Still life", "category": "other", "tags": []any{"quince"}, "inputs": []any{},
		"stages": []any{map[string]any{"id": "a", "tool": "generate_image", "args": map[string]any{"prompt": "fruit"}, "produces": []any{"a"}}},
	})
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.press("k", chromedp.ModifierCtrl)
	const lines = `[...document.querySelectorAll(".picker-item strong")].map((e) => e.innerText)`
	for term, first := range map[string]string{"marmalade": "Breakfast", "quince": "Still life"} {
		p.fill("Search pages, models and work", term)
		p.wait(term, lines+`[0] === `+quote(first))
		p.wait("the searches", lines+`.slice(-4).join() === `+quote(fmt.Sprintf("Search workflows for “%[1]s”,Search the library for “%[1]s”,Search templates for “%[1]s”,Search models for “%[1]s”", term)))
	}
	p.checkAccess("searches of the pages")
	p.fill("Search pages, models and work", "nothing & no one")
	p.seeText("Nothing of that name")
	p.press(kb.Enter)
	p.wait("the search of the page", `location.pathname === "/workflows" && new URLSearchParams(location.search).get("q") === "nothing & no one"`)
}

// The colours are those of the system, until the person chooses others for the browser.
func TestTheme(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	isDark := `((c) => c.match(/\d+/g).map(Number).slice(0, 3).every((n) => n < 80))(getComputedStyle(document.body).backgroundColor)`
	p.setMedia(true)
	p.wait("the system's dark colours", isDark)
	p.open("/keys")
	p.choose("Colours", "light")
	p.wait("light colours", `!`+isDark)
	p.do(chromedp.Reload())
	p.see("combobox", "Colours")
	p.wait("light colours after a reload", `!`+isDark)
	p.checkAccess("light colours in a dark system")
	p.setMedia(false)
	p.choose("Colours", "dark")
	p.wait("dark colours", isDark)
	p.checkAccess("dark colours in a light system")
	p.choose("Colours", "system")
	p.wait("the system's light colours", `!`+isDark)
}

// Long work that ends while the console is out of sight is notified, once the person has asked for that. Short work is
// not.
func TestNotices(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(`((send) => {
		window.shown = [];
		window.Notification = class {
			static permission = "default";
			static async requestPermission() { return (Notification.permission = "granted") }
			constructor(title, options) { shown.push(title + " " + options.tag) }
		};
		Object.defineProperty(document, "visibilityState", {get: () => window.away ? "hidden" : "visible"});
		window.looked = 0;
		window.fetch = async (address, options) => {
			const response = await send(address, options);
			if (!/\/v1\/creative-agent\/workflows\/[^/?]+$/.test(String(address)) || !window.away) return response;
			const body = await response.json();
			const w = body.data.workflow;
			w.timestamps.createdAt = new Date(new Date(w.timestamps.updatedAt) - window.took * 1000).toISOString();
			window.looked++;
			return new Response(JSON.stringify(body), {status: 200, headers: {"Content-Type": "application/json"}});
		};
	})(fetch)`)
	p.signIn(s.Key)
	p.open("/keys")
	p.click("checkbox", "Notify me when long work ends")
	start := func() {
		s.call("POST", "/v1/creative-agent/workflows", map[string]any{"input": map[string]any{"title": "A fox", "steps": []any{
			map[string]any{"id": "a", "toolName": "generate_image", "arguments": map[string]any{"prompt": "a fox", "width": 256, "height": 256}},
		}}})
	}
	evaluate[bool](p, `(window.away = true, window.took = 2, true)`)
	start()
	p.wait("a look at short work", `window.looked >= 1`)
	evaluate[bool](p, `(window.took = 12, true)`)
	start()
	p.wait("a notice", `shown.length >= 1 && shown[0].startsWith("A fox is done ")`)
}
