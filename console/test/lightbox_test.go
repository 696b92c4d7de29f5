package test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// drag moves a finger over the page, in a few steps.
func (p *page) drag(fromX, fromY, toX, toY float64) {
	p.t.Helper()
	touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
		if _, err := chromedp.Call(p.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, points...)}); err != nil {
			p.t.Fatal(err)
		}
	}
	touch("touchStart", &input.TouchPoint{X: fromX, Y: fromY})
	for i := 1.0; i <= 4; i++ {
		touch("touchMove", &input.TouchPoint{X: fromX + (toX-fromX)*i/4, Y: fromY + (toY-fromY)*i/4})
	}
	touch("touchEnd")
}

// A picture fills the window beside nothing else, is shown at its own size and moved there, by keys, the wheel and a
// finger; where it is not enlarged a finger leads to the next one and back.
func TestLightboxZoom(t *testing.T) {
	t.Parallel()
	s := startService(t)
	makeCastles(s)
	const picture, box = `document.querySelector(".lightbox img.media")`, `document.querySelector(".lightbox-media")`
	p := openPage(t, s.URL, phone)
	p.signIn(s.Key)
	p.open("/library")
	p.seeItems(3)
	width := evaluate[float64](p, `document.querySelector(".grid-view").clientWidth`)
	p.openCell("image")
	p.see("dialog", "a castle on a hill")
	p.wait("nothing beside it", `document.querySelector(".lightbox").getBoundingClientRect().width === innerWidth`)
	p.wait("a page as wide as it was", fmt.Sprintf(`document.querySelector(".grid-view").clientWidth === %v`, width))
	p.wait("all of it", picture+`.naturalWidth > 0 && `+picture+`.getBoundingClientRect().height <= `+box+`.clientHeight`)
	zoom := `document.querySelector(".lightbox header [aria-pressed]")`
	p.wait("the zoom", zoom+" !== null")
	fit := evaluate[string](p, zoom+".innerText")
	p.press("1")
	p.wait("its own size", zoom+`.innerText === "100 %" && Math.abs(`+picture+`.getBoundingClientRect().width - `+picture+`.naturalWidth) < 1`)
	p.checkAccess("a picture at its own size")
	before := evaluate[point](p, `(({x, y}) => ({X: x, Y: y}))(`+picture+`.getBoundingClientRect())`)
	p.drag(200, 400, 150, 400)
	p.wait("the picture moved", fmt.Sprintf(`((r) => Math.abs(r.x - %v) < 1 && Math.abs(r.y - %v) < 1)(`+picture+`.getBoundingClientRect())`, before.X-50, before.Y))
	p.drag(20, 300, 380, 300)
	p.drag(20, 300, 380, 300)
	p.drag(20, 300, 380, 300)
	p.wait("no gap beside it", picture+`.getBoundingClientRect().left <= `+box+`.getBoundingClientRect().left`)
	p.seeText("1 / 3")
	p.press("+")
	p.wait("more", zoom+`.innerText === "150 %"`)
	p.press("0")
	p.wait("all of it again", zoom+`.innerText === `+quote(fit)+` && `+zoom+`.ariaPressed === "false"`)
	evaluate[bool](p, picture+`.dispatchEvent(new WheelEvent("wheel", {deltaY: -300, bubbles: true, cancelable: true}))`)
	p.wait("more by the wheel", zoom+`.ariaPressed === "true"`)
	evaluate[bool](p, "("+zoom+".click(), true)")
	p.wait("all of it by the button", zoom+`.ariaPressed === "false"`)
	p.drag(300, 400, 120, 410)
	p.seeText("2 / 3")
	p.drag(120, 400, 300, 410)
	p.seeText("1 / 3")
	p.drag(300, 150, 120, 160) // beside the picture, as where it is not loaded yet
	p.seeText("2 / 3")
	p.press(kb.Escape)
	p.gone("dialog", "a castle on a hill")
}

// Two pictures of one prompt that are selected in the library are compared, and the captions say how they differ. On a
// phone they are as wide as the window, little is above the first picture, and what can be done with a selection stays
// in view.
func TestLibraryCompare(t *testing.T) {
	t.Parallel()
	s := startService(t)
	makeCastles(s)
	for _, l := range []look{desktop, phone, night} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.open("/library")
		p.seeItems(3)
		if l == phone {
			p.wait("little above the first picture", `document.querySelector("[role=gridcell] img").getBoundingClientRect().top < 250`)
		}
		p.focusCell(0)
		p.press(kb.Enter)
		p.gone("button", "Compare")
		p.press(kb.ArrowRight, chromedp.ModifierShift)
		p.seeText("2 selected")
		p.wait("the actions in view", `[...document.querySelectorAll(".selection :is(button, a)")].every((e) => {
			const r = e.getBoundingClientRect();
			return r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight && e.scrollWidth <= e.clientWidth;
		})`)
		if l == phone {
			p.wait("the actions at the bottom", `document.querySelector(".selection").getBoundingClientRect().bottom === innerHeight`)
		}
		p.checkAccess(fmt.Sprint("two selected ", l.width, l.dark))
		p.click("button", "Compare")
		p.see("dialog", "Compare")
		p.wait("both pictures", `[...document.querySelectorAll(".compare img")].filter((e) => e.naturalWidth > 0).length === 2`)
		p.wait("what differs", `(([a, b]) => /^No. 1 · Seed.\d+$/.test(a.innerText) && /^No. 2 · Seed.\d+$/.test(b.innerText))(document.querySelectorAll(".compare-names span"))`)
		p.wait("the pictures in view", `document.querySelector(".compare").getBoundingClientRect().bottom <= innerHeight`)
		p.checkAccess(fmt.Sprint("two compared ", l.width, l.dark))
		if l == phone {
			p.wait("the width of the window", `document.querySelector(".compare").clientWidth === innerWidth`)
		}
		p.click("button", "Side by side")
		p.wait("both beside each other", `[...document.querySelectorAll(".compare-beside img")].filter((e) => e.naturalWidth > 0).length === 2`)
		if l == phone {
			p.wait("the width of the window", `document.querySelector(".compare-beside img").clientWidth === innerWidth`)
		}
		p.checkAccess(fmt.Sprint("two side by side ", l.width, l.dark))
		if l != phone { // where two fingers enlarge the page
			const zooms = `new Set([...document.querySelectorAll(".compare-zoom img")].map((e) => getComputedStyle(e).transform))`
			both := func(what, zoom string) {
				t.Helper()
				p.wait(what, `((all) => all.size === 1 && all.has(`+quote(zoom)+`))(`+zooms+`)`)
			}
			for range 4 {
				p.press("+")
			}
			both("both enlarged", "matrix(5.0625, 0, 0, 5.0625, 0, 0)")
			at := evaluate[point](p, `((r) => ({X: r.x + r.width / 2, Y: r.y + r.height / 2}))(document.querySelectorAll(".compare-frame")[1].getBoundingClientRect())`)
			left := chromedp.Button("left")
			p.do(chromedp.MouseEvent("mousePressed", at.X, at.Y, left), chromedp.MouseEvent("mouseMoved", at.X-20, at.Y, left), chromedp.MouseEvent("mouseMoved", at.X-40, at.Y, left), chromedp.MouseEvent("mouseReleased", at.X-40, at.Y, left))
			both("both moved by the mouse", "matrix(5.0625, 0, 0, 5.0625, -40, 0)")
			p.click("button", "Slider")
			both("as large as fits", "matrix(1, 0, 0, 1, 0, 0)")
			evaluate[bool](p, `document.querySelector(".compare input").dispatchEvent(new WheelEvent("wheel", {deltaY: -300, bubbles: true, cancelable: true}))`)
			p.wait("both enlarged by the wheel", `((all) => all.size === 1 && !all.has("matrix(1, 0, 0, 1, 0, 0)"))(`+zooms+`)`)
			p.checkAccess(fmt.Sprint("two enlarged ", l.width, l.dark))
		}
		p.click("button", "Close")
		p.seeText("2 selected")
	}
}

// A picture that was given by an address at another site, which the page may not show, is a link that names the site.
func TestGivenElsewhere(t *testing.T) {
	t.Parallel()
	s := startService(t)
	order := map[string]any{
		"input": map[string]any{"steps": []any{map[string]any{
			"id": "edit", "toolName": "edit_image", "arguments": map[string]any{"prompt": "make it night", "sourceImageIndex": -1},
		}}},
		"media_references": []any{map[string]any{"kind": "image", "url": "https://pictures.invalid/old/fox.png"}},
	}
	id := s.call("POST", "/v1/creative-agent/workflows", order)["workflow"].(map[string]any)["workflowId"].(string)
	other := s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))["workflow"].(map[string]any)["workflowId"].(string)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key) // the browser is not asked for the picture, and so has nothing to report
	for _, path := range []string{"/workflows/" + id, "/workflows/compare?left=" + id + "&right=" + other} {
		p.open(path)
		p.see("link", "pictures.invalid/…/fox.png")
		p.wait("its address", find("link", "pictures.invalid/…/fox.png")+`.href === "https://pictures.invalid/old/fox.png"`)
		p.wait("no broken picture", `[...document.querySelectorAll("main img")].every((e) => !e.src.includes("pictures.invalid"))`)
		p.checkAccess("a picture of another site")
	}
}

// What is shown large is marked with the keys of the library, and the list of the keys is there too.
func TestLightboxKeys(t *testing.T) {
	t.Parallel()
	s := startService(t)
	makeCastles(s)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/library")
	p.seeItems(3)
	p.openCell("image")
	p.see("dialog", "a castle on a hill")
	const isStarred = `document.querySelector(".lightbox .star").ariaPressed`
	p.press("f")
	p.wait("a favourite", isStarred+` === "true"`)
	p.press("t")
	p.see("dialog", "Tags of 1 item")
	p.addTag("stone")
	p.press(kb.Escape)
	p.gone("dialog", "Tags of 1 item")
	p.wait("the tag", `document.querySelector(".lightbox .tag-chips").innerText.includes("stone")`)
	p.press("b")
	p.see("dialog", "Boards of 1 item")
	p.press(kb.Escape)
	p.gone("dialog", "Boards of 1 item")
	p.press("?")
	p.see("dialog", "Keyboard shortcuts")
	p.checkAccess("keys over what is shown large")
	p.press(kb.Escape)
	p.gone("dialog", "Keyboard shortcuts")
	p.press("f")
	p.wait("no favourite", isStarred+` === "false"`)
	p.press(kb.Escape)
	p.gone("dialog", "a castle on a hill")
}
