package test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
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

// A page whose module cannot be loaded says so, and is loaded when the service is there
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
