package test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The library: what was made appears by itself, is selected with the keyboard, opened,
// deleted and brought back; uploads are saved and removed; an import that cannot be is
// refused at its field.
func TestLibrary(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(holdToasts)
	p.signIn(s.Key)
	p.click("link", "Library")
	p.seeText("Nothing has been made yet.")
	p.checkAccess("an empty library")
	makeCastles(s)
	p.seeText("3 items")
	p.wait("thumbnails", `document.querySelectorAll("[role=gridcell] img").length === 3`)
	p.checkAccess("the library")

	evaluate[bool](p, `(document.querySelector("[role=gridcell]").focus(), true)`)
	p.press(kb.Enter)
	p.seeText("1 selected")
	p.press(kb.ArrowRight, chromedp.ModifierShift)
	p.seeText("2 selected")
	p.checkAccess("a selection")
	// A message waits while the person points at it or has the focus there, which F8 puts there.
	p.click("button", "Delete")
	p.seeText("1 item")
	p.wait("a timer", "toastTimers.size === 1")
	p.wait("the focus in the grid", `document.activeElement.role === "gridcell"`)
	p.checkAccess("a deletion")
	p.click("button", "Images") // another list does not show what was deleted
	p.wait("one image", `location.search === "?kind=image" && document.querySelectorAll("[role=gridcell] img").length === 1`)
	p.seeText("1 item")
	p.click("button", "All")
	p.wait("one item", `location.search === "" && document.querySelectorAll("[role=gridcell] img").length === 1`)
	undo := p.place("button", "Undo")
	p.do(chromedp.MouseEvent("mouseMoved", undo.X, undo.Y))
	p.wait("no timer under the pointer", "toastTimers.size === 0")
	p.do(chromedp.MouseEvent("mouseMoved", 5, 5))
	p.wait("a timer again", "toastTimers.size === 1")
	evaluate[bool](p, `(document.querySelector("[role=gridcell]").focus(), true)`)
	p.press(kb.F8)
	p.wait("the focus on Undo", find("button", "Undo")+" === document.activeElement")
	p.wait("no timer at the focus", "toastTimers.size === 0")
	p.press(kb.Enter)
	p.seeText("3 items")
	p.wait("the focus back", `document.activeElement.role === "gridcell"`)
	p.press(" ")
	p.see("dialog", "a castle on a hill")
	p.seeText("1 / 3")
	p.press(kb.ArrowRight)
	p.seeText("2 / 3")
	p.checkAccess("an item, large")

	// The deletion is done when it can no longer be undone, such as when the page is left.
	other := openPage(t, s.URL, phone)
	other.signIn(s.Key)
	other.open("/library")
	other.seeText("3 items")
	other.checkAccess("the library on a phone")
	p.click("button", "More")
	p.click("button", "Delete")
	p.seeText("2 items")
	p.open("/library?q=castle")
	p.seeText("2 items")
	other.open("/library")
	other.seeText("2 items")

	// The days may be read again before a deletion is answered: the rest of the day stays.
	p.open("/library")
	p.wait("thumbnails", `document.querySelectorAll("[role=gridcell] img").length === 2`)
	evaluate[bool](p, `((load) => {
		window.daysRead = 0;
		window.fetch = async (address, options) => {
			const answer = await load(address, options);
			if (String(address).startsWith("/v1/artifacts/days")) daysRead++;
			if (address === "/v1/artifacts/delete") await new Promise((go) => (window.goOn = go));
			return answer;
		};
		document.querySelector("[role=gridcell]").focus();
		return true;
	})(fetch)`)
	p.press(kb.Enter)
	p.click("button", "Delete")
	p.seeText("1 item")
	evaluate[bool](p, `(document.querySelector(".toasts [aria-label=Close]").click(), true)`)
	p.wait("the deletion", "!!window.goOn")
	evaluate[bool](p, readAgain)
	p.wait("the days", "daysRead > 0")
	for range 2 {
		evaluate[bool](p, `new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true))))`)
		p.wait("the rest of the day", `document.querySelectorAll("[role=gridcell] img").length === 1 && document.body.innerText.includes("1 item")`)
		evaluate[bool](p, "(goOn(), true)")
	}
	p.open("/library?q=whale")
	p.seeText("Nothing matches.")

	p.click("button", "Saved uploads")
	p.seeText("Nothing is saved.")
	evaluate[bool](p, `((input, files) => {
		files.items.add(new File(["{}"], "inks.safetensors"));
		input.files = files.files;
		return input.dispatchEvent(new Event("change", {bubbles: true}));
	})(document.querySelector("main input[type=file]"), new DataTransfer())`)
	p.seeText("inks.safetensors cannot be saved: pictures, videos and recordings can. LoRAs have their own tab.")
	p.dropPicture("square.png")
	p.see("link", "Use in Create")
	p.checkAccess("saved uploads")
	p.click("link", "Use in Create")
	p.see("button", "Remove square.png")
	p.open("/library?tab=uploads")
	p.click("button", "Delete square.png")
	p.see("dialog", "Delete this file?")
	p.click("button", "Delete")
	p.seeText("Nothing is saved.")

	p.allow("400")
	p.click("button", "LoRAs")
	p.seeText("You have no LoRAs of your own.")
	p.checkAccess("personal LoRAs")
	p.click("button", "Import by link")
	p.fill("Link to the file", "https://example.com/x.safetensors")
	p.fill("Name", "Inks")
	p.click("button", "Import")
	p.seeText("Confirm that you have the right to use it.")
	p.choose("Model", "krea2_turbo_fp8_scaled")
	p.click("checkbox", "I have the right to use this file.")
	p.click("button", "Import")
	p.wait("the error at the link", `document.querySelector("dialog .field.wrong input[type=url]") !== null`)
	p.checkAccess("a refused import")
}

// What is shown large has an opaque ground, its close at the top right and its deletion apart from its download. A
// sound has its title and its loudness, and an analysis says first what it found in words.
func TestLightbox(t *testing.T) {
	t.Parallel()
	s := startService(t)
	order := picture("a green bird")
	input := order["input"].(map[string]any)
	input["steps"] = append(input["steps"].([]any), map[string]any{
		"id": "look", "toolName": "analyze_image", "arguments": map[string]any{"query": "What does it show?"},
		"dependsOn": []any{map[string]any{"sourceStepId": "draw", "sourceArtifactIndex": 0, "targetArgument": "sourceImageIndex", "transform": "image_index", "required": true}},
	}, map[string]any{"id": "play", "toolName": "generate_music", "arguments": map[string]any{"prompt": "a calm piano with rain in the background", "duration": 10}})
	s.call("POST", "/v1/creative-agent/workflows", order)
	s.call("POST", "/v1/library/boards", map[string]any{"name": "Birds"})
	for _, l := range []look{desktop, phone, night} {
		state := fmt.Sprint(l.width, " ", l.dark)
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/library")
		p.wait("the waveform below its title", `document.querySelector(".cell .kind-audio .thumb-title").getBoundingClientRect().bottom <= document.querySelector(".cell .kind-audio .thumb-wave").getBoundingClientRect().top`)
		p.wait("the circle beside its title", `(([title, circle]) => title.bottom <= circle.top || title.right <= circle.left)([".thumb-title", ".cell-check"].map((part) => document.querySelector(".cell:has(.kind-audio) " + part).getBoundingClientRect()))`)
		p.wait("an icon of analyses", `document.querySelector(".cell .kind-json .icon path").getAttribute("d").startsWith("M6 3h9")`)

		p.openCell("image")
		p.see("dialog", "a green bird")
		p.wait("an opaque ground", `(getComputedStyle(document.querySelector(".lightbox")).backgroundColor.match(/[\d.]+/g)[3] ?? 1) >= 0.9`)
		p.wait("the close at the top right", `((r) => r.top < 60 && innerWidth - r.right < 40)(`+find("button", "Close")+`.getBoundingClientRect())`)
		p.gone("button", "Delete")
		p.click("button", "More")
		p.see("button", "Delete")
		p.checkAccess("a menu of an item " + state)
		p.press(kb.Escape)
		p.gone("button", "Delete")
		p.see("dialog", "a green bird")
		if l.width < 500 {
			p.click("button", "Details")
			p.wait("a picture beside details", `document.querySelector(".lightbox-media").clientHeight > 0.45 * innerHeight`)
			p.wait("one line of buttons", `document.querySelector(".lightbox > footer").clientHeight < 70`)
		}
		p.wait("a checkbox in the colour of the others", `((box) => getComputedStyle(box).accentColor !== "auto")(document.querySelector(".board-field input[type=checkbox]"))`)
		p.click("button", "Close")
		p.gone("dialog", "a green bird")

		p.openCell("audio")
		p.see("dialog", "a calm piano with rain in the background")
		p.wait("its loudness", `document.querySelectorAll(".sound .thumb-wave rect").length > 40`)
		p.wait("its title", `document.querySelector(".sound figcaption").innerText === "a calm piano with rain in the background"`)
		p.checkAccess("a sound " + state)
		p.click("button", "Close")
		p.gone("dialog", "a calm piano with rain in the background")

		p.openCell("json")
		p.wait("the analysis in words", `/^A square PNG picture/.test(document.querySelector(".analysis > p").innerText) && !document.querySelector(".analysis pre").checkVisibility()`)
		p.checkAccess("an analysis " + state)
		p.click("button", "Everything in the file")
		p.seeText("\"analysisType\"")
	}
}
