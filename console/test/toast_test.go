package test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// holdToasts is a script for page.prepare: messages that can be undone stay however long a test
// takes. Their timers are in toastTimers.
const holdToasts = `((begin, end) => {
	window.toastTimers = new Set();
	window.setTimeout = (run, ms, ...values) => {
		if (ms !== 20_000) return begin(run, ms, ...values);
		const timer = begin(() => {});
		toastTimers.add(timer);
		return timer;
	};
	window.clearTimeout = (timer) => {
		toastTimers.delete(timer);
		end(timer);
	};
})(setTimeout, clearTimeout)`

// seeOnTop waits until a button is where a click in its middle reaches it.
func (p *page) seeOnTop(name string) {
	p.t.Helper()
	at := p.place("button", name)
	p.wait(name+" on top", fmt.Sprintf("%s.contains(document.elementFromPoint(%f, %f))", find("button", name), at.X, at.Y))
}

// makeCastles makes three pictures.
func makeCastles(s *service) {
	s.t.Helper()
	order := picture("a castle on a hill")
	order["input"].(map[string]any)["steps"].([]any)[0].(map[string]any)["arguments"].(map[string]any)["numberOfVariations"] = 3
	s.call("POST", "/v1/creative-agent/workflows", order)
}

// seeItems waits until the library shows some items.
func (p *page) seeItems(n int) {
	p.t.Helper()
	p.wait(fmt.Sprint(n, " items"), fmt.Sprintf(`document.querySelectorAll("[role=gridcell] img").length === %d`, n))
}

// deleteFirst deletes the first item of the library, which can be undone.
func (p *page) deleteFirst() {
	p.t.Helper()
	p.wait("the focus on an item", `(() => { const e = document.querySelector("[role=gridcell]"); e?.focus(); return e !== null && document.activeElement === e })()`)
	p.press(kb.Enter)
	p.click("button", "Delete")
	p.see("button", "Undo")
	p.wait("the focus in the grid", `document.activeElement.role === "gridcell"`)
}

// A message is seen, announced and used above a modal dialog, whichever came first, and
// stays when the dialog is closed.
func TestToastOverDialog(t *testing.T) {
	t.Parallel()
	s := startService(t)
	makeCastles(s)
	for _, l := range []look{desktop, phone} {
		p := openPage(t, s.URL, l)
		p.prepare(holdToasts)
		p.signIn(s.Key)
		p.open("/library")
		p.seeItems(3)
		p.deleteFirst()
		p.press(" ")
		p.see("dialog", "a castle on a hill")
		p.seeOnTop("Undo")
		p.checkAccess("a message over an item")
		p.press(kb.Escape)
		p.gone("dialog", "a castle on a hill")
		p.seeOnTop("Undo")
		p.press(" ")
		p.see("dialog", "a castle on a hill")
		p.press(kb.ArrowRight)
		p.seeText("2 / ")
		// From a button that is disabled while it has the focus, as that at the end of the list is.
		p.wait("the focus on Undo", `((before) => {
			before.focus();
			before.disabled = true;
			before.dispatchEvent(new KeyboardEvent("keydown", {key: "F8", bubbles: true}));
			return true;
		})(`+find("button", "Previous")+`) && `+find("button", "Undo")+" === document.activeElement")
		p.press(kb.Enter)
		p.gone("button", "Undo")
		p.wait("the focus in the dialog", `document.querySelector("dialog[open]").contains(document.activeElement) && !document.activeElement.closest(".toasts")`)
		p.press(kb.Escape)
		p.gone("dialog", "a castle on a hill")
		p.seeItems(3)

		// A message that comes after the dialog.
		p.open("/?tool=generate_image&model=z-turbo")
		p.click("button", "Add source image")
		p.see("dialog", "")
		evaluate[bool](p, `(() => {
			const dataTransfer = new DataTransfer();
			dataTransfer.items.add(new File(["?"], "notes.xyz"));
			document.querySelector("dialog[open]").dispatchEvent(new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true}));
			return true;
		})()`)
		p.wait("an announced message", `document.querySelector("dialog[open] .toasts[role=status] .toast.bad") !== null`)
		p.press(kb.F8)
		p.wait("the focus on the message", `document.activeElement.closest(".toast") !== null`)
		p.checkAccess("a message over a dialog")
		p.press(kb.Enter)
		p.wait("no message", `document.querySelector(".toast") === null`)
		p.wait("the focus in the dialog", `document.querySelector("dialog[open]").contains(document.activeElement)`)
	}
}

// expire ends the session as another tab does that signs out.
const expire = `(localStorage.removeItem("atelier.console"), dispatchEvent(new StorageEvent("storage", {key: "atelier.console"})))`

// What waits for its deletion is hidden on every page. It is deleted when the person signs out, and
// other pages of the account drop it; when the session ends elsewhere, the person learns that it is still there.
func TestDeletion(t *testing.T) {
	t.Parallel()
	s := startService(t)
	makeCastles(s)
	p := openPage(t, s.URL, desktop)
	p.allow("401", "404") // of what is read while the session ends, and of a picture that is deleted while it loads
	p.prepare(holdToasts)
	p.signIn(s.Key)
	strip := func(p *page, n int) {
		t.Helper()
		p.wait(fmt.Sprint(n, " made before"), fmt.Sprintf(`document.querySelectorAll(".strip .strip-item").length === %d`, n))
	}
	strip(p, 3)
	p.click("link", "Library")
	p.seeItems(3)
	p.deleteFirst()
	p.click("link", "Create")
	strip(p, 2)
	p.click("button", "Add source image")
	p.wait("the results that can be chosen", `document.querySelectorAll("dialog[open] .chooser button").length === 2`)
	p.click("button", "Close")
	p.click("button", "Undo")
	strip(p, 3)

	p.click("link", "Library")
	p.seeItems(3)
	p.deleteFirst()
	evaluate[bool](p, expire)
	p.see("heading", "Sign in")
	p.seeText("1 item was not deleted, because the session ended.")
	p.gone("button", "Undo")
	p.checkAccess("not deleted")
	p.fill("API key", s.Key)
	p.click("button", "Sign in")
	p.seeItems(3)
	p.seeText("1 item was not deleted, because the session ended.")

	library, create := openPage(t, s.URL, desktop), openPage(t, s.URL, desktop)
	library.allow("404")
	create.allow("404")
	library.signIn(s.Key)
	library.open("/library")
	library.seeItems(3)
	create.signIn(s.Key)
	strip(create, 3)
	p.deleteFirst()
	p.click("button", "Sign out")
	p.see("heading", "Sign in")
	library.seeItems(2)
	library.seeText("2 items")
	strip(create, 2)
	p.fill("API key", s.Key)
	p.click("button", "Sign in")
	p.seeItems(2)
}
