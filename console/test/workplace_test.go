package test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// openSettings is a script for page.prepare: the person has left the settings of Create open.
const openSettings = `try { localStorage.setItem("atelier.create.settings", "open") } catch {}`

// Create begins with examples, shapes to choose from and closed settings; what is wrong among the settings opens them.
func TestCreateBegins(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone, night} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.wait("examples", `document.querySelector("[aria-label=Examples]") !== null`)
		p.wait("closed settings", `!document.querySelector(".create-settings").open`)
		p.wait("the pictures", `[...document.querySelectorAll(".example img")].every((i) => i.complete && i.naturalWidth > 0) && document.querySelectorAll(".example").length === 3`)
		p.checkAccess(fmt.Sprintf("the beginning, %d %t", l.width, l.dark))
	}
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.wait("the examples", `document.querySelector(".example") !== null`)
	evaluate[bool](p, `(document.querySelector(".example").click(), true)`)
	p.wait("an example chosen", `document.querySelector(".create-form textarea").value.length > 5`)
	p.click("button", "16:9")
	p.wait("the shape pressed", `document.querySelector(".shapes [aria-pressed=true]").innerText === "16:9"`)
	p.click("button", "Make")
	p.wait("a wide picture", `/\d+ × \d+/.test(document.querySelector(".result-facts")?.innerText ?? "") && (([w, h]) => Math.abs(w / h - 16 / 9) < 0.1)(document.querySelector(".result-facts").innerText.match(/(\d+) × (\d+)/).slice(1).map(Number))`)

	evaluate[bool](p, `(document.querySelector(".create-settings").open = true)`)
	p.fill("Seed", "-5")
	p.wait("an error", `document.querySelector(".create-settings .error-text") !== null`)
	evaluate[bool](p, `(document.querySelector(".create-settings summary").click(), true)`)
	p.click("button", "Make")
	p.wait("the settings open at the error", `document.querySelector(".create-settings").open`)
}

// Earlier prompts are found and used again, and styles are kept and added.
func TestPromptTools(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, prompt := range []string{"a red fox", "a blue whale in the sea"} {
		s.call("POST", "/v1/creative-agent/workflows", picture(prompt))
	}
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.click("button", "Earlier prompts")
	p.see("button", "a red fox")
	p.checkAccess("earlier prompts")
	p.fill("Search earlier prompts", "whale")
	p.press(kb.Enter)
	p.wait("the prompt", `document.querySelector(".create-form textarea").value === "a blue whale in the sea"`)
	p.click("button", "Styles")
	p.fill("Name of a new style", "Oil")
	p.fill("Words that it adds", "oil on canvas")
	p.click("button", "Save the style")
	p.see("button", "Oil")
	p.checkAccess("styles")
	p.open("/")
	p.click("button", "Styles")
	p.click("button", "Oil")
	p.wait("the style", `document.querySelector(".create-form textarea").value === "a blue whale in the sea, oil on canvas"`)
	if all := s.call("GET", "/v1/creative-agent/workflows", nil)["workflows"].([]any); len(all) != 2 {
		t.Errorf("%d workflows, want 2: the choice of a prompt or a style starts one", len(all))
	}
}

// Two results are compared with a slider.
func TestCompare(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.fill("Prompt", "a red fox")
		p.fill("How many", "3")
		p.click("button", "Make 3")
		if l == phone {
			p.wait("the menu", `(([menu]) => menu !== undefined && (menu.click(), true))([...document.querySelectorAll(".result-actions details:last-child summary")])`)
		}
		p.click("button", "Compare")
		p.wait("two pictures", `[...document.querySelectorAll(".compare img")].filter((i) => i.complete && i.naturalWidth > 0 && i.getBoundingClientRect().height > 200).length === 2`)
		p.checkAccess(fmt.Sprint("a comparison, ", l.width))
		evaluate[bool](p, `(document.querySelector(".compare input").focus(), true)`)
		p.press(kb.Home)
		p.wait("nothing of the left picture", `getComputedStyle(document.querySelector(".compare-left")).clipPath.includes("100%")`)
		p.choose("Right", "2")
		p.wait("the third picture", `((all) => all[0].src !== all[1].src)(document.querySelectorAll(".compare img"))`)
	}
}

// keepStarts is a script for page.prepare: it keeps the requests that start workflows in started.
const keepStarts = `((send) => {
	window.started = [];
	window.fetch = (address, options) => {
		if (options?.method === "POST" && String(address).endsWith("/v1/creative-agent/workflows")) started.push(JSON.parse(options.body));
		return send(address, options);
	};
})(fetch)`

// A mask is painted with the pointer and the keys, and sent with the request.
func TestPaintMask(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(keepStarts)
	p.signIn(s.Key)
	p.allow("willReadFrequently") // by this test
	p.dropPictureAtOnce("/?tool=edit_image", "square.png")
	p.fill("Prompt", "make it blue")
	p.click("button", "Paint a mask")
	p.wait("the picture", `document.querySelector(".picture-frame canvas") !== null`)
	p.checkAccess("a mask")
	at := p.place("application", "The picture under the mask")
	p.do(chromedp.MouseClickXY(at.X, at.Y))
	painted := func(x, y string) string {
		return fmt.Sprintf(`((c) => c.getContext("2d").getImageData(c.width * %s, c.height * %s, 1, 1).data[3] > 100)(document.querySelector(".picture-frame canvas"))`, x, y)
	}
	p.wait("paint in the middle", painted("0.5", "0.5"))
	p.wait("none in the corner", "!"+painted("0.05", "0.05"))
	p.click("button", "Undo")
	p.wait("nothing painted", "!"+painted("0.5", "0.5"))
	evaluate[bool](p, `(document.querySelector(".picture-frame").focus(), true)`)
	p.press(kb.ArrowLeft)
	p.press(" ")
	p.wait("paint by the keys", painted("0.48", "0.5"))
	// What is painted outlasts the dialog, until it is used.
	p.do(chromedp.MouseClickXY(4, 4)) // beside it
	p.gone("dialog", "Paint a mask")
	p.click("button", "Paint a mask")
	p.wait("the paint again", painted("0.48", "0.5"))
	p.press(kb.Escape)
	p.gone("dialog", "Paint a mask")
	p.click("button", "Paint a mask")
	p.wait("the paint after Escape", painted("0.48", "0.5"))
	p.click("button", "Use the mask")
	p.see("button", "Remove mask.png")
	p.see("button", "Change the mask")
	p.wait("the mask beside its button", `document.querySelector(".mask-thumb").naturalWidth > 0`)
	p.wait("the upload", `!document.querySelector(".held progress")`)
	p.click("button", "Make")
	p.wait("the mask in the request", `started.length === 1 && /^http/.test(started[0].input.steps[0].arguments.mask_image_url)`)
	p.see("button", "Open large:")
}

// What is selected is marked on the picture: by a click, by a box, and by the keys.
func TestMarkSpots(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.prepare(keepStarts)
		p.signIn(s.Key)
		p.dropPictureAtOnce("/?tool=segment_image", "square.png")
		p.see("textbox", "What to select")
		p.seeText("Name it, or mark it on the picture.")
		p.click("button", "Mark on the picture")
		p.wait("the picture", `document.querySelector(".picture-frame img").naturalWidth > 0`)
		p.checkAccess(fmt.Sprint("marks, ", l.width))
		at := p.place("application", "The picture to mark")
		p.do(chromedp.MouseClickXY(at.X, at.Y))
		p.seeText("1 point, 0 boxes")
		evaluate[bool](p, `(document.querySelector(".picture-frame").focus(), true)`)
		p.press(kb.ArrowDown)
		p.press(" ")
		p.seeText("2 points, 0 boxes")
		p.click("button", "Undo")
		p.seeText("1 point, 0 boxes")
		p.press(kb.Escape)
		p.click("button", "Mark on the picture")
		p.seeText("1 point, 0 boxes") // as it was left
		p.wait("the picture", `document.querySelector(".picture-frame img").naturalWidth > 0`)
		evaluate[bool](p, `(document.querySelector(".picture-frame").focus(), true)`)
		p.press(kb.ArrowDown)
		p.press(" ")
		p.seeText("2 points, 0 boxes")
		p.saveScreenshot(fmt.Sprint("marks-", l.width))
		p.click("button", "Use the marks")
		p.click("button", "Make")
		p.wait("the marks in the request", `started.length === 1 && started[0].input.steps[0].arguments.points.length === 2`)
	}
}

// A grid makes the same several times with one thing changed, and names the cells by it.
func TestGrid(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.prepare(keepStarts)
	p.signIn(s.Key)
	p.click("button", "Grid…") // what a grid lacks is said, as Make says it
	p.focused("textbox", "Prompt")
	p.fill("Prompt", "a red fox")
	p.click("button", "1:1")
	p.click("button", "Grid…")
	p.fill("How many seeds", "3")
	p.wait("the price of all", `document.querySelector("dialog .price").innerText.includes("Covered by your plan")`)
	p.checkAccess("a grid of seeds")
	p.click("button", "Make 3")
	p.wait("three steps", `started.length === 1 && started[0].input.steps.length === 3 && new Set(started[0].input.steps.map((s) => s.arguments.seed)).size === 3`)
	p.wait("three cells", `document.querySelectorAll(".cell-name").length === 3 && [...document.querySelectorAll(".cell-name")].every((e) => /^Seed \d+$/.test(e.innerText))`)
	p.wait("one chosen", `document.querySelectorAll(".cell-open[aria-pressed=true]").length === 1`)
	p.wait("large cells with whole names", `[...document.querySelectorAll(".cells li")].every((e) => e.offsetWidth > 140 && e.querySelector(".cell-name").scrollWidth <= e.offsetWidth)`)
	p.checkAccess("a grid")
}
