package test

import "testing"

// Where things stand on a phone: the tab of the page, the wallet and the keys within their column, the kinds on one
// line.
func TestLookOnAPhone(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, phone)
	p.signIn(s.Key)
	p.see("textbox", "Prompt")
	p.wait("the kinds on one line", `(() => { const tops = [...document.querySelector(".create-form > .choices").children].map((e) => e.getBoundingClientRect().top); return tops.length >= 5 && Math.max(...tops) === Math.min(...tops) })()`)
	current := `document.querySelector(".side summary").ariaCurrent`
	p.wait("the tab of Create", current+" !== \"true\"")
	p.open("/models")
	p.see("heading", "Models")
	p.wait("the tab of the other pages", current+" === \"true\"")
	p.open("/account")
	p.see("heading", "API keys")
	p.wait("the wallet in its column", `document.querySelector(".page-about code").getBoundingClientRect().right <= document.querySelector(".panel").getBoundingClientRect().right`)
	p.wait("a key above its buttons", `(() => { const [about, button] = document.querySelectorAll(".keys li:first-child > *"); return about.getBoundingClientRect().bottom <= button.getBoundingClientRect().top })()`)
	p.checkAccess("an account")
	p.open("/templates/wf_portrait_makeover")
	p.wait("a whole picture", `(([frame, img]) => img.naturalWidth > 0 && getComputedStyle(img).objectFit === "contain" && img.clientHeight <= frame.clientHeight)(document.querySelectorAll(".template-intro .template-picture, .template-intro .template-picture img"))`)
	p.wait("the form near the top, below picture and words", `((form, intro) => form.top < 450 && intro.bottom <= form.top && intro.height <= 160)(...[".template-main .panel", ".template-intro"].map((part) => document.querySelector(part).getBoundingClientRect()))`)
	p.wait("the price above the tabs", `document.querySelector(".run-foot").getBoundingClientRect().bottom <= document.querySelector(".side").getBoundingClientRect().top + 1`)
	p.checkAccess("a template")
}

// The price of a model is on the line of its name, in every card; the filters are on one line.
func TestLookOfModels(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/models")
	p.see("link", "Z-Image Turbo")
	p.wait("the prices beside the names", `(() => {
		const cards = [...document.querySelectorAll(".model-card")].slice(0, 4);
		return cards.length === 4 && cards.every((card) => {
			const price = [...card.querySelectorAll(".tabular")].find((e) => e.textContent.includes("Spark"));
			return Math.abs(price.getBoundingClientRect().top - card.querySelector(".model-name").getBoundingClientRect().top) < 12;
		});
	})()`)
	p.wait("the filters on one line", `(() => {
		const middle = (e) => { const r = e.getBoundingClientRect(); return r.top + r.height / 2 };
		return Math.abs(middle(document.querySelector("[type=search]")) - middle(document.querySelector(".choices"))) < 6;
	})()`)
	p.checkAccess("models")
}

// The operator sees all queues at a glance. What scrolls has a track that leaves round corners as they are.
func TestLookOfTheDashboard(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/operator")
	p.see("heading", "Queues")
	p.wait("a line for each queue", `["Fast", "Relaxed", "Node"].every((name) => [...document.querySelectorAll(".panel tbody th")].some((e) => e.textContent === name))`)
	p.wait("the queues and the charts on the first screen", `document.querySelector(".history, .over-time, .panel figure, .plot")?.getBoundingClientRect().top < innerHeight`)
	p.wait("a clear track", `/(rgba\(0, 0, 0, 0\)|transparent)$/.test(getComputedStyle(document.querySelector(".panel")).scrollbarColor)`)
	p.checkAccess("the dashboard")
}
