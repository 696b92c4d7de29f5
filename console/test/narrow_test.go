package test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// overlaps is the expression of the pairs of elements that lie over each other, of those that match a selector. A label
// is as large as its text.
func overlaps(selector string) string {
	return fmt.Sprintf(`((all) => {
		const box = (e) => {
			if (e.localName !== "label") return e.getBoundingClientRect();
			const range = document.createRange();
			range.selectNodeContents(e);
			return range.getBoundingClientRect();
		};
		const isOver = (r, s) => r.left < s.right - 1 && s.left < r.right - 1 && r.top < s.bottom - 1 && s.top < r.bottom - 1;
		return all.flatMap((a, i) => all.slice(i + 1).filter((b) => isOver(box(a), box(b))).map((b) => a.outerHTML.slice(0, 80) + " and " + b.outerHTML.slice(0, 80)));
	})([...document.querySelectorAll(%s)].filter((e) => e.checkVisibility()))`, quote(selector))
}

// On a phone the controls of a message are beside or below each other, also with a choice of language models.
func TestNarrowComposer(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "atelier.yaml")
	models := "llm:\n  upstreams:\n    - {name: mock, base_url: http://127.0.0.1:9/v1, api_key: none, models: [{id: a-model-with-quite-a-long-name-32b-instruct, context_length: 65536}]}\n"
	if err := os.WriteFile(config, []byte(models), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startService(t, "ATELIER_CONFIG="+config)
	p := openPage(t, s.URL, phone)
	p.signIn(s.Key)
	p.open("/chat")
	p.see("combobox", "Language model")
	for _, width := range []int64{320, 360, 390, 430} {
		p.do(chromedp.EmulateViewport(width, 800))
		p.wait("the width", fmt.Sprintf("innerWidth === %d", width))
		for _, pair := range evaluate[[]string](p, overlaps(".composer .row button, .composer .row select, .composer .row label, .composer .row input")) {
			t.Errorf("at %d px lie over each other: %s", width, pair)
		}
		p.checkAccess(fmt.Sprintf("a message at %d px", width))
	}
}

// On a desk nothing lies over the kinds and the prompt of Create, wherever the page is scrolled to, and the page has
// one scrollbar, also beside a result with a notice. On a phone, where the form is below the result, Make is above
// the tabs.
func TestCreateIsScrolledAsOne(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, l := range []look{phone, desktop} {
		p := openPage(t, s.URL, l)
		p.signIn(s.Key)
		p.fill("Prompt", "a quokka eating a croissant in a supermarket")
		p.click("button", "Make")
		p.see("button", "Open large:")
		p.seeText("did not understand")
		p.checkAccess("a result with a notice")
		if l.width < 500 {
			hidden := evaluate[[]int](p, `(async () => {
				const found = [], form = document.querySelector(".create-form"), bar = document.querySelector(".create-make"), tabs = document.querySelector(".side").getBoundingClientRect().top;
				for (let top = 0; top < document.documentElement.scrollHeight; top += 40) {
					scrollTo(0, top);
					await new Promise(requestAnimationFrame);
					if (form.getBoundingClientRect().top < tabs - 200 && bar.getBoundingClientRect().bottom > tabs + 1) found.push(top);
				}
				return found;
			})()`)
			if len(hidden) > 0 {
				t.Errorf("the tabs cover the bar with Make when the page is scrolled to %d", hidden)
			}
			continue
		}
		covered := evaluate[[]string](p, `(async () => {
			const found = [];
			for (let top = 0; top < document.documentElement.scrollHeight; top += 40) {
				scrollTo(0, top);
				await new Promise(requestAnimationFrame);
				for (const part of document.querySelectorAll(".create-form :is(.choice, textarea):not(.create-settings *, .shapes *)")) {
					const r = part.getBoundingClientRect();
					const over = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
					if (over?.closest(".create-make")) found.push(top + ": " + part.outerHTML.slice(0, 80));
				}
			}
			return found;
		})()`)
		for _, part := range covered {
			t.Errorf("the bar with Make covers at %s", part)
		}
		scrolling := evaluate[[]string](p, `[...document.querySelectorAll(".create, .create *")].filter((e) => e.localName !== "textarea" && /auto|scroll/.test(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1).map((e) => e.className)`)
		if len(scrolling) > 0 {
			t.Errorf("parts of the page that scroll by themselves: %q", scrolling)
		}
	}
}

// A finger finds every button of a line of text, and those that stand by themselves are as high as it is wide.
func TestRoomForAFinger(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := openPage(t, s.URL, phone)
	if _, err := chromedp.Call(p.ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	p.signIn(s.Key)
	p.see("textbox", "Prompt")
	p.wait("a screen for fingers", `matchMedia("(pointer: coarse)").matches`)
	low := func(least int) string {
		return fmt.Sprintf(`[...document.querySelectorAll(".copy")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < %d).map((e) => e.innerText)`, least)
	}
	check := func(state string) {
		t.Helper()
		if found := evaluate[[]string](p, low(44)); len(found) > 0 {
			t.Errorf("%s: not 44 px high: %q", state, found)
		}
		p.checkAccess(state)
	}
	p.see("button", "Grid…")
	check("Create for fingers")
	p.open("/chat")
	p.say("What can you make?")
	p.seeText("The assistant has answered.")
	p.see("button", "Try again")
	check("Chat for fingers")
	p.open("/")
	p.fill("Prompt", "a red fox")
	p.click("button", "Make")
	p.see("button", "Open large: a red fox")
	if found := evaluate[[]string](p, low(24)); len(found) > 0 {
		t.Errorf("a result: not 24 px high: %q", found)
	}
	p.checkAccess("a result for fingers")
}
