package test

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	pages "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// One browser serves all tests; each page has a separate context, with its own
// cookies and storage.
var browser = sync.OnceValues(func() (context.Context, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(time.Minute))
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	return ctx, chromedp.Do(ctx, chromedp.Navigate("about:blank"))
})

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		if err := flag.Set("test.run", "^TestPages$"); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if ctx, err := browser(); err == nil {
		_ = chromedp.Cancel(ctx)
	}
	os.Exit(code)
}

// page is a tab.
type page struct {
	t        testing.TB
	ctx      context.Context
	base     string
	mu       sync.Mutex
	messages []string // errors and warnings of the browser's console
	allowed  []string // parts of messages that a test expects
}

// finder finds an element by its role and accessible name, as a person would describe it.
//
//go:embed finder.js
var finder string

// axe is the accessibility checker, injected into the page by the debugger, which the
// page's policy does not bind.
//
//go:embed testdata/axe-core/axe.min.js
var axe string

type look struct {
	width, height int64
	dark          bool
}

var (
	desktop = look{width: 1280, height: 860}
	phone   = look{width: 390, height: 800}
	night   = look{width: 1280, height: 860, dark: true}
)

// patience is how long a test waits for something to appear. It ends a test that would
// hang, and measures nothing.
const patience = 5 * time.Minute

func openPage(t testing.TB, base string, l look) *page {
	t.Helper()
	parent, err := browser()
	if err != nil {
		t.Skipf("no browser: %v", err)
	}
	ctx, cancel := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &page{t: t, ctx: ctx, base: base}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" || m.Type == "warning" {
				p.mu.Lock()
				p.messages = append(p.messages, m.String())
				p.mu.Unlock()
			}
		}
	}()
	p.do(chromedp.EmulateViewport(l.width, l.height))
	p.setMedia(l.dark)
	t.Cleanup(func() {
		if t.Failed() {
			p.saveScreenshot("failed")
		}
		p.checkMessages()
	})
	return p
}

// openTab opens another tab of the same browser, with the same cookies and storage.
func (p *page) openTab() *page {
	p.t.Helper()
	ctx, cancel := chromedp.NewContext(p.ctx)
	p.t.Cleanup(cancel)
	// The first step opens the tab, which closes with the context of that step.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(desktop.width, desktop.height)); err != nil {
		p.t.Fatal(err)
	}
	return &page{t: p.t, ctx: ctx, base: p.base}
}

func (p *page) setMedia(dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	if err != nil {
		p.t.Fatal(err)
	}
}

// allow lists parts of console messages that a test causes on purpose.
func (p *page) allow(parts ...string) { p.allowed = append(p.allowed, parts...) }

func (p *page) checkMessages() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
messages:
	for _, m := range p.messages {
		for _, part := range p.allowed {
			if strings.Contains(m, part) {
				continue messages
			}
		}
		p.t.Errorf("the browser's console says: %s", m)
	}
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// open loads an address of the console.
func (p *page) open(path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.base + path))
}

// prepare runs a script in every page that is loaded from now on, before its own ones.
func (p *page) prepare(script string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, pages.AddScriptToEvaluateOnNewDocument, pages.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
		p.t.Fatal(err)
	}
}

// signIn opens the console with an API key.
func (p *page) signIn(key string) {
	p.t.Helper()
	p.open("/")
	p.fill("API key", key)
	p.click("button", "Sign in")
	p.see("button", "Sign out")
}

// evaluate runs an expression and decodes its value.
func evaluate[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// wait polls until an expression is true. One that fails is not true yet: what it looks at is not drawn.
func (p *page) wait(what, expression string) {
	p.t.Helper()
	expression = "(() => { try { return (" + expression + ") } catch { return false } })()"
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(50*time.Millisecond))); err != nil {
		p.t.Fatalf("waiting for %s: %v\nthe page shows: %.2000s", what, err, evaluate[string](p, "document.body.innerText"))
	}
}

func quote(text string) string {
	out, _ := json.Marshal(text) //nolint:errchkjson // a string
	return string(out)
}

// find is the expression of an element by role and name.
func find(role, name string) string {
	return fmt.Sprintf("(%s)(%s, %s)", finder, quote(role), quote(name))
}

// see waits until an element is visible.
func (p *page) see(role, name string) {
	p.t.Helper()
	p.wait(role+" "+name, find(role, name)+" !== null")
}

// seeText waits until the page shows a text.
func (p *page) seeText(text string) {
	p.t.Helper()
	p.wait(text, fmt.Sprintf(`document.body.innerText.replaceAll("\u00a0", " ").includes(%s)`, quote(text))) // units stay with their numbers
}

// gone waits until an element is no longer there.
func (p *page) gone(role, name string) {
	p.t.Helper()
	p.wait("no "+role+" "+name, find(role, name)+" === null")
}

type point struct{ X, Y float64 }

// place scrolls an element into view and returns the middle of what is seen of it, once it no longer moves.
func (p *page) place(role, name string) point {
	p.t.Helper()
	p.see(role, name)
	return evaluate[point](p, fmt.Sprintf(`(async () => {
		let before;
		for (;;) {
			const element = %s; // it may have been drawn again
			if (element && before?.element !== element) element.scrollIntoView({block: "center"});
			await new Promise(requestAnimationFrame);
			const r = element?.getBoundingClientRect();
			if (element?.isConnected && before?.element === element && before.x === r.x && before.y === r.y) {
				let {left, top, right, bottom} = r;
				for (let around = element.parentElement; around; around = around.parentElement) {
					if (!/hidden|clip|auto|scroll/.test(getComputedStyle(around).overflow)) continue;
					const clip = around.getBoundingClientRect();
					if (clip.left >= right || clip.right <= left || clip.top >= bottom || clip.bottom <= top) continue; // a menu, outside
					left = Math.max(left, clip.left);
					top = Math.max(top, clip.top);
					right = Math.min(right, clip.right);
					bottom = Math.min(bottom, clip.bottom);
				}
				return {X: (left + right) / 2, Y: (top + bottom) / 2};
			}
			before = element && {element, x: r.x, y: r.y};
		}
	})()`, find(role, name)))
}

// click clicks an element with the mouse. A click that would hit another one, because the
// page moved meanwhile, is kept from it and repeated, as a person would look again.
func (p *page) click(role, name string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		p.wait(role+" "+name+", enabled", fmt.Sprintf("(() => { const e = %s; return e !== null && !e.disabled })()", find(role, name)))
		at := p.place(role, name)
		struck := "nothing"
		if evaluate[bool](p, fmt.Sprintf(guard, find(role, name))) {
			p.do(chromedp.MouseClickXY(at.X, at.Y))
			// A page that was left has no guard, and may not answer.
			ctx, cancel := context.WithTimeout(p.ctx, patience)
			struck, _ = chromedp.Run(ctx, chromedp.Evaluate[string]("window.unguard?.() ?? ''"))
			cancel()
			if struck == "" {
				return
			}
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("%s %s is covered by %s", role, name, struck)
		}
	}
}

// guard watches one click. unguard ends it, and returns what was struck in place of the element: also
// when the press was on the element and the page moved before the release, which makes no click.
const guard = `((element) => {
	if (!element) return false; // it was drawn again
	let isClicked = false;
	let struck = "";
	const events = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
	const watch = (event) => {
		const isMeant = element.contains(event.target) || event.target.closest?.("label")?.control === element;
		isClicked ||= isMeant && event.type === "click";
		if (isMeant || isClicked) return;
		struck = event.target.outerHTML?.slice(0, 200) ?? "the document";
		event.preventDefault();
		event.stopImmediatePropagation();
	};
	for (const type of events) addEventListener(type, watch, true);
	window.unguard = () => {
		for (const type of events) removeEventListener(type, watch, true);
		delete window.unguard;
		return isClicked || !element.isConnected ? "" : struck || "nothing";
	};
	return true;
})(%s)`

// fill replaces the text of a field that has a label.
func (p *page) fill(label, text string) {
	p.t.Helper()
	p.see("textbox", label)
	p.wait("the focus on "+label, fmt.Sprintf("(() => { const e = %s; if (!e) return false; e.focus(); e.select?.(); return document.activeElement === e })()", find("textbox", label)))
	if _, err := chromedp.Call(p.ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		p.t.Fatal(err)
	}
}

// press sends keys to what has the focus.
func (p *page) press(keys string, held ...chromedp.Modifier) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(held...)))
}

// checkAccess runs the accessibility checker on the page as it is now, and looks for
// content that is wider than the window.
func (p *page) checkAccess(state string) {
	p.t.Helper()
	if over := evaluate[float64](p, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
		p.t.Errorf("%s: the page is %.0f px wider than the window", state, over)
	}
	p.do(chromedp.Evaluate[chromedp.Void](axe + "\n;0"))
	found := evaluate[[]string](p, `(async () => {
		const result = await axe.run(document, {resultTypes: ["violations"], rules: {"label-content-name-mismatch": {enabled: true}}});
		return result.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + v.help + " " + n.html.slice(0, 200) + " " + n.any.map((c) => c.message).join("; ")));
	})()`)
	for _, line := range append(found, evaluate[[]string](p, faintFields)...) {
		p.t.Errorf("%s: %s", state, line)
	}
	p.saveScreenshot(state)
}

// faintFields is the expression of the fields whose border, or that of the box they are in, has less than three times
// the contrast to what is around it, which WCAG 1.4.11 asks for and axe does not measure.
const faintFields = `(() => {
		const numbers = (color) => color.match(/[\d.]+/g).map(Number);
		const light = (color) => numbers(color).slice(0, 3).map((v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
		const isSeen = (color) => (numbers(color)[3] ?? 1) > 0.5;
		const behind = (e) => { for (; e; e = e.parentElement) if (isSeen(getComputedStyle(e).backgroundColor)) return getComputedStyle(e).backgroundColor; return "rgb(255, 255, 255)"; };
		const ratio = (a, b) => ((a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05))(light(a), light(b));
		const hasBorder = (e) => ((s) => parseFloat(s.borderBottomWidth) > 0 && s.borderBottomStyle !== "none" && isSeen(s.borderBottomColor))(getComputedStyle(e));
		return [...document.querySelectorAll("input:not([type=checkbox], [type=radio], [type=range], [type=file], [type=color]), select, textarea")].filter((e) => !e.disabled && e.checkVisibility() && e.getBoundingClientRect().width > 2).flatMap((e) => {
			let edge = e;
			for (let i = 0; i < 3 && edge && !hasBorder(edge); i++) edge = edge.parentElement;
			const found = edge && hasBorder(edge) ? ratio(getComputedStyle(edge).borderBottomColor, behind(edge.parentElement)) : 1;
			return found < 3 ? ["border of a field: " + found.toFixed(2) + " to 1, not 3 " + edge?.outerHTML.slice(0, 120)] : [];
		});
})()`

// saveScreenshot keeps a picture of the page for people, where ATELIER_TEST_SCREENSHOTS names a folder.
func (p *page) saveScreenshot(name string) {
	dir := os.Getenv("ATELIER_TEST_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Logf("no screenshot: %v", err)
		return
	}
	file := strings.NewReplacer("/", "-", " ", "-").Replace(p.t.Name() + "-" + name)
	if err := os.WriteFile(filepath.Join(dir, file+".png"), picture, 0o600); err != nil {
		p.t.Log(err)
	}
}
