package test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

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
	if evaluate[bool](p, `document.querySelector(".creation") !== null`) {
		t.Error("the choice of a prompt starts something")
	}
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
		p.click("button", "Make")
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
